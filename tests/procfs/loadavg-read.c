/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "read /proc/loadavg from start to end";

const struct testcase_needs testcase_needs = { .files = 1, .memory = 64 << 10 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	char buffer[64 << 10];
	int file = open_or_skip("/proc/loadavg", O_RDONLY);

	while (1) {
		ssize_t bytes;
		off_t at = 0;

		while ((bytes = pread(file, buffer, sizeof(buffer), at)) > 0)
			at += bytes;
		CHECK(bytes == 0 && at > 0);
		(*iterations)++;
	}
}
