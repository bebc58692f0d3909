/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "move the break up or down by one page";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	unsigned long page = sysconf(_SC_PAGESIZE);
	char *top = sbrk(0);

	while (1) {
		CHECK(brk(top + page) == 0);
		CHECK(brk(top) == 0);
		(*iterations) += 2;
	}
}
