/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <unistd.h>

#include "testcase.h"

#define BYTES 4096

char *testcase_description = "ftruncate to 0 and back to 4 KiB, own file without data";

const struct testcase_needs testcase_needs = { .files = 1 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	int file = scratch_file(0);

	CHECK(ftruncate(file, BYTES) == 0);
	while (1) {
		CHECK(ftruncate(file, 0) == 0);
		CHECK(ftruncate(file, BYTES) == 0);
		(*iterations)++;
	}
}
