/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/timerfd.h>
#include <time.h>

#include "testcase.h"

char *testcase_description = "set an own timerfd to an hour and get the time that is left";

const struct testcase_needs testcase_needs = { .files = 1 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	const struct itimerspec hour = { .it_value.tv_sec = 3600 };
	struct itimerspec left;
	int file = timerfd_create(CLOCK_MONOTONIC, 0);

	CHECK(file >= 0);
	while (1) {
		CHECK(timerfd_settime(file, 0, &hour, NULL) == 0);
		CHECK(timerfd_gettime(file, &left) == 0);
		(*iterations)++;
	}
}
