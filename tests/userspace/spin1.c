/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdint.h>

#include "testcase.h"

char *testcase_description =
	"64 dependent integer multiplications and additions in registers: no memory, no kernel";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	uint64_t value = nr;

	while (1) {
		/*
		 * Knuth's constants for a linear congruential generator: no step can be left out or
		 * folded into another.
		 */
		for (int step = 0; step < 64; step++)
			value = value * 6364136223846793005u + 1442695040888963407u;
		/*
		 * A value that is never used would be no work, and an endless loop without a reader
		 * no store.
		 */
		__asm__ volatile("" : "+r"(value) : : "memory");
		(*iterations)++;
	}
}
