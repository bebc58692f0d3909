/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <time.h>

#include "testcase.h"

char *testcase_description = "one operation per microsecond of CLOCK_MONOTONIC: a known rate";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	struct timespec start, now;

	CHECK(clock_gettime(CLOCK_MONOTONIC, &start) == 0);
	while (1) {
		CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
		*(volatile unsigned long long *)iterations =
			(now.tv_sec - start.tv_sec) * 1000000LL +
			(now.tv_nsec - start.tv_nsec) / 1000;
	}
}
