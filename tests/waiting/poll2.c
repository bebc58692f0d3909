/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <poll.h>

#include "testcase.h"

#define FILES 128

char *testcase_description = "poll of 128 own files, all ready, time-out 0";

const struct testcase_needs testcase_needs = { .files = FILES };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	int files[FILES];

	for (int i = 0; i < FILES; i++)
		files[i] = scratch_file(0);
	while (1) {
		struct pollfd polled[FILES];

		for (int i = 0; i < FILES; i++)
			polled[i] = (struct pollfd){ .fd = files[i], .events = POLLOUT };
		CHECK(poll(polled, FILES, 0) == FILES);
		(*iterations)++;
	}
}
