/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <unistd.h>

#include "testcase.h"

#define PATH "/proc/self/stat"

char *testcase_description = "open, read and close " PATH;

const struct testcase_needs testcase_needs = { .files = 1 };

void testcase_prepare(unsigned long nr_tasks)
{
	close(open_or_skip(PATH, O_RDONLY));
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	char buffer[4096] ALIGNED;

	while (1) {
		int file = open(PATH, O_RDONLY);

		CHECK(file >= 0);
		CHECK(read(file, buffer, sizeof(buffer)) > 0);
		CHECK(close(file) == 0);
		(*iterations)++;
	}
}
