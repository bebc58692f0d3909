/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/stat.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "mkdir and rmdir, own name, all in one directory";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	const char *path = scratch_path("own-%lu", nr);

	while (1) {
		CHECK(mkdir(path, 0700) == 0);
		CHECK(rmdir(path) == 0);
		(*iterations)++;
	}
}
