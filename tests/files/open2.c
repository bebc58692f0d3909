/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "open and close, own file in own directory";

const struct testcase_needs testcase_needs = { .files = 1 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	const char *path;

	scratch_directory("own-%lu", nr);
	path = scratch_shared_file(0, "own-%lu/file", nr);
	while (1) {
		int file = open(path, O_RDWR);

		CHECK(file >= 0);
		CHECK(close(file) == 0);
		(*iterations)++;
	}
}
