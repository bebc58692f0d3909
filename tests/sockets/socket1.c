/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/socket.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "make and close a TCP socket";

const struct testcase_needs testcase_needs = { .files = 1 };

void testcase_prepare(unsigned long nr_tasks)
{
	int end = socket(AF_INET, SOCK_STREAM, 0);

	if (end < 0)
		testcase_skip("cannot make a TCP socket: %m");
	CHECK(close(end) == 0);
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	while (1) {
		int end = socket(AF_INET, SOCK_STREAM, 0);

		CHECK(end >= 0);
		CHECK(close(end) == 0);
		(*iterations)++;
	}
}
