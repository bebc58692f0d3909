/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <time.h>

#include "testcase.h"

char *testcase_description = "one operation in 5 ms";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	while (1) {
		struct timespec length = { .tv_nsec = 5000000 };

		CHECK(clock_nanosleep(CLOCK_MONOTONIC, 0, &length, NULL) == 0);
		(*iterations)++;
	}
}
