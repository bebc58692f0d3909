/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <poll.h>

#include "testcase.h"

char *testcase_description = "poll of 1 own file, ready, time-out 0";

const struct testcase_needs testcase_needs = { .files = 1 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	int file = scratch_file(0);

	while (1) {
		struct pollfd polled = { .fd = file, .events = POLLOUT };

		CHECK(poll(&polled, 1, 0) == 1);
		(*iterations)++;
	}
}
