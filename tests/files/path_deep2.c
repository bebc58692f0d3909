/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/stat.h>

#include "testcase.h"

char *testcase_description = "stat of a file five directories down, same tree";

static const char *path;

void testcase_prepare(unsigned long nr_tasks)
{
	scratch_directory("same");
	scratch_directory("same/1");
	scratch_directory("same/1/2");
	scratch_directory("same/1/2/3");
	scratch_directory("same/1/2/3/4");
	path = scratch_shared_file(0, "same/1/2/3/4/file");
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	struct stat status;

	while (1) {
		CHECK(stat(path, &status) == 0);
		(*iterations)++;
	}
}
