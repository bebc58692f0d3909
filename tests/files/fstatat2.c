/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <sys/stat.h>

#include "testcase.h"

char *testcase_description = "fstatat of an absolute path, own file in own directory";

const struct testcase_needs testcase_needs = { .files = 1 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	struct stat status;
	const char *path;

	scratch_directory("own-%lu", nr);
	path = scratch_shared_file(0, "own-%lu/file", nr);
	while (1) {
		CHECK(fstatat(AT_FDCWD, path, &status, 0) == 0);
		(*iterations)++;
	}
}
