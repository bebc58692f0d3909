/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "access R_OK, own file, all in one directory";

const struct testcase_needs testcase_needs = { .files = 1 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	const char *path = scratch_shared_file(0, "own-%lu", nr);

	while (1) {
		CHECK(access(path, R_OK) == 0);
		(*iterations)++;
	}
}
