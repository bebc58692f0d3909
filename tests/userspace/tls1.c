/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "testcase.h"

char *testcase_description = "increment of a thread-local variable";

static _Thread_local unsigned long counter;

void testcase(unsigned long long *iterations, unsigned long nr)
{
	while (1) {
		counter++;
		__asm__ volatile("" : : : "memory");
		(*iterations)++;
	}
}
