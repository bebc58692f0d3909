/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <unistd.h>

#include "testcase.h"

char *testcase_description =
	"move the break up or down by one page, beyond a page that nobody else uses";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	unsigned long page = sysconf(_SC_PAGESIZE);
	/* Threads share one break, so they move each other's. */
	char *top = (char *)sbrk(0) + page;

	/* musl's does nothing. */
	if (brk(top))
		testcase_skip("brk: %m");

	while (1) {
		CHECK(brk(top + page) == 0);
		CHECK(brk(top) == 0);
		(*iterations) += 2;
	}
}
