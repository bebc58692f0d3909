/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/stat.h>

#include "testcase.h"

char *testcase_description = "stat, same file";

static const char *path;

void testcase_prepare(unsigned long nr_tasks)
{
	path = scratch_shared_file(0, "same");
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	struct stat status;

	while (1) {
		CHECK(stat(path, &status) == 0);
		(*iterations)++;
	}
}
