/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "testcase.h"

#define BYTES 1024

char *testcase_description = "malloc and free of 1 KiB, untouched";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	while (1) {
		void *memory = malloc(BYTES);

		CHECK(memory);
		__asm__ volatile("" : : "r"(memory) : "memory");
		free(memory);
		(*iterations)++;
	}
}
