/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/socket.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "make and close a pair of unix stream sockets";

const struct testcase_needs testcase_needs = { .files = 2 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	while (1) {
		int ends[2];

		CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
		CHECK(close(ends[0]) == 0);
		CHECK(close(ends[1]) == 0);
		(*iterations)++;
	}
}
