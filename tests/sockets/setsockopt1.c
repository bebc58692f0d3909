/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/socket.h>

#include "testcase.h"

char *testcase_description = "set SO_REUSEADDR, own TCP socket";

const struct testcase_needs testcase_needs = { .files = 1 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	int end = socket(AF_INET, SOCK_STREAM, 0);
	int on = 1;

	if (end < 0)
		testcase_skip("cannot make a TCP socket: %m");
	while (1) {
		CHECK(setsockopt(end, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0);
		(*iterations)++;
	}
}
