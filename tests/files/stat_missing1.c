/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/stat.h>

#include "testcase.h"

char *testcase_description = "stat of a path that does not exist, own name, all in one directory";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	const char *path = scratch_path("own-%lu", nr);
	struct stat status;

	while (1) {
		CHECK(stat(path, &status) == -1 && errno == ENOENT);
		(*iterations)++;
	}
}
