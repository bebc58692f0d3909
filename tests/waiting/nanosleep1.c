/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <time.h>

#include "testcase.h"

char *testcase_description = "clock_nanosleep until a time that has passed";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	const struct timespec past = { 0 };

	while (1) {
		CHECK_ERROR(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &past, NULL));
		(*iterations)++;
	}
}
