/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/socket.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "write and read 1 byte, own pair of unix stream sockets";

const struct testcase_needs testcase_needs = { .files = 2 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	int ends[2];
	char byte = 0;

	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	while (1) {
		CHECK(write(ends[1], &byte, 1) == 1);
		CHECK(read(ends[0], &byte, 1) == 1);
		(*iterations)++;
	}
}
