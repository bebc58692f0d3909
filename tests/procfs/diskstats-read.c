/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>

#include "testcase.h"

char *testcase_description = "read /proc/diskstats from start to end";

const struct testcase_needs testcase_needs = { .files = 1, .memory = 64 << 10 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	int file = open_or_skip("/proc/diskstats", O_RDONLY);
	char byte;

	if (pread(file, &byte, 1, 0) != 1)
		testcase_skip("/proc/diskstats is empty: there are no block devices");
	while (1) {
		read_whole(file);
		(*iterations)++;
	}
}
