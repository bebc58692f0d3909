/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <time.h>

#include "testcase.h"

char *testcase_description = "clock_gettime CLOCK_MONOTONIC, by the vDSO where the machine has one";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	struct timespec now;

	while (1) {
		CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
		(*iterations)++;
	}
}
