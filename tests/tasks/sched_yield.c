/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sched.h>

#include "testcase.h"

char *testcase_description = "sched_yield";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	while (1) {
		CHECK(sched_yield() == 0);
		(*iterations)++;
	}
}
