/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/prctl.h>

#include "testcase.h"

char *testcase_description = "prctl PR_SET_NAME of the task";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	while (1) {
		CHECK(prctl(PR_SET_NAME, "opscale") == 0);
		(*iterations)++;
	}
}
