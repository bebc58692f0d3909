/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "access R_OK, same file";

static const char *path;

void testcase_prepare(unsigned long nr_tasks)
{
	path = scratch_shared_file(0, "same");
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	while (1) {
		CHECK(access(path, R_OK) == 0);
		(*iterations)++;
	}
}
