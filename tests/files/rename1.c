/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "testcase.h"

char *testcase_description = "rename an own file to another name or back, own directory";

const struct testcase_needs testcase_needs = { .files = 1 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	const char *path, *other;

	scratch_directory("own-%lu", nr);
	path = scratch_shared_file(0, "own-%lu/file", nr);
	other = scratch_path("own-%lu/other", nr);
	while (1) {
		CHECK(rename(path, other) == 0);
		CHECK(rename(other, path) == 0);
		(*iterations) += 2;
	}
}
