/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/stat.h>

#include "testcase.h"

char *testcase_description = "stat, own file, all in one directory";

const struct testcase_needs testcase_needs = { .files = 1 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	const char *path = scratch_shared_file(0, "own-%lu", nr);
	struct stat status;

	while (1) {
		CHECK(stat(path, &status) == 0);
		(*iterations)++;
	}
}
