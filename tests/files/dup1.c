/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "dup and close, own file";

const struct testcase_needs testcase_needs = { .files = 2 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	int file = scratch_file(0);

	while (1) {
		int copy = dup(file);

		CHECK(copy >= 0);
		CHECK(close(copy) == 0);
		(*iterations)++;
	}
}
