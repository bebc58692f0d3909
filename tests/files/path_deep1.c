/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/stat.h>

#include "testcase.h"

char *testcase_description = "stat of a file five directories down, own tree";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	const char *path = scratch_path("own-%lu/1/2/3/4/file", nr);
	struct stat status;

	scratch_directory("own-%lu", nr);
	scratch_directory("own-%lu/1", nr);
	scratch_directory("own-%lu/1/2", nr);
	scratch_directory("own-%lu/1/2/3", nr);
	scratch_directory("own-%lu/1/2/3/4", nr);
	scratch_shared_file(0, "own-%lu/1/2/3/4/file", nr);
	while (1) {
		CHECK(stat(path, &status) == 0);
		(*iterations)++;
	}
}
