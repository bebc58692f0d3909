/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <poll.h>
#include <sys/eventfd.h>

#include "testcase.h"

#define FILES 32

char *testcase_description = "poll of 32 own eventfds, the last one ready, time-out 0";

const struct testcase_needs testcase_needs = { .files = FILES };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	struct pollfd polled[FILES];

	for (int i = 0; i < FILES; i++) {
		polled[i].fd = eventfd(i == FILES - 1, 0);
		polled[i].events = POLLIN;
		CHECK(polled[i].fd >= 0);
	}
	while (1) {
		CHECK(poll(polled, FILES, 0) == 1);
		(*iterations)++;
	}
}
