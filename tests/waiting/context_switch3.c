/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/socket.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "switch to a partner task or back: one byte through a unix socketpair";

const struct testcase_needs testcase_needs = { .files = 2, .partners = 1 };

static void *partner(void *arg)
{
	const int *ends = arg;
	char byte;

	while (1) {
		CHECK(read(ends[1], &byte, 1) == 1);
		CHECK(write(ends[1], &byte, 1) == 1);
	}
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	char byte = 0;
	int ends[2];

	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	new_task(partner, ends);
	while (1) {
		CHECK(write(ends[0], &byte, 1) == 1);
		CHECK(read(ends[0], &byte, 1) == 1);
		(*iterations) += 2;
	}
}
