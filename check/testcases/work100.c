/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "testcase.h"

#ifndef WORK
#define WORK 1000
#endif

char *testcase_description = "a fixed amount of work, times what the environment says";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	const char *times = getenv("OPSCALE_WORK");
	unsigned long work = WORK * (times ? strtoul(times, NULL, 10) : 1);
	unsigned long number = 1;

	while (1) {
		/* Each step waits for the last one: what else runs on the core hardly matters. */
		for (unsigned long i = 0; i < work; i++) {
			number = ~0ul / (number | 1);
			__asm__ volatile("" : "+r"(number) : : "memory");
		}
		(*iterations)++;
	}
}
