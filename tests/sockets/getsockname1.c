/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <netinet/in.h>
#include <sys/socket.h>

#include "testcase.h"

char *testcase_description = "getsockname, own TCP socket bound to a port of 127.0.0.1";

const struct testcase_needs testcase_needs = { .files = 1 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int end = socket(AF_INET, SOCK_STREAM, 0);

	if (end < 0 || bind(end, (struct sockaddr *)&address, sizeof(address)))
		testcase_skip("cannot bind a TCP socket to 127.0.0.1: %m");
	while (1) {
		socklen_t size = sizeof(address);

		CHECK(getsockname(end, (struct sockaddr *)&address, &size) == 0);
		(*iterations)++;
	}
}
