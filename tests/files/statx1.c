/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>

#include "testcase.h"

char *testcase_description = "statx of the basic fields, own file, all in one directory";

const struct testcase_needs testcase_needs = { .files = 1 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	const char *path = scratch_shared_file(0, "own-%lu", nr);
	struct statx status;

	while (1) {
		CHECK(statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, &status) == 0);
		(*iterations)++;
	}
}
