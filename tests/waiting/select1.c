/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/select.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description =
	"select of 2 descriptors, both ready, time-out 0: the ends of an own pipe";

const struct testcase_needs testcase_needs = { .files = 2, .memory = 4096 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	fd_set reader, writer;
	char byte = 0;
	int ends[2];

	CHECK(pipe(ends) == 0);
	CHECK(write(ends[1], &byte, 1) == 1);
	if (ends[0] >= FD_SETSIZE || ends[1] >= FD_SETSIZE)
		testcase_skip("too many tasks: select takes descriptors below %d", FD_SETSIZE);
	FD_ZERO(&reader);
	FD_ZERO(&writer);
	FD_SET(ends[0], &reader);
	FD_SET(ends[1], &writer);
	while (1) {
		fd_set readable = reader, writable = writer;
		struct timeval timeout = { 0 };

		/* With the highest descriptor plus one, later threads would have more work. */
		CHECK(select(FD_SETSIZE, &readable, &writable, NULL, &timeout) == 2);
		(*iterations)++;
	}
}
