/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "open with O_CREAT and close, existing own file, all in one directory";

const struct testcase_needs testcase_needs = { .files = 1 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	const char *path = scratch_shared_file(0, "own-%lu", nr);

	while (1) {
		int file = open(path, O_RDWR | O_CREAT, 0600);

		CHECK(file >= 0);
		CHECK(close(file) == 0);
		(*iterations)++;
	}
}
