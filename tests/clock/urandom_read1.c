/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "read of 16 bytes from /dev/urandom, own descriptor";

const struct testcase_needs testcase_needs = { .files = 1 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	int file = open_or_skip("/dev/urandom", O_RDONLY);
	char bytes[16];

	while (1) {
		CHECK(read(file, bytes, sizeof(bytes)) == sizeof(bytes));
		(*iterations)++;
	}
}
