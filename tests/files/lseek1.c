/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <unistd.h>

#include "testcase.h"

#define BYTES 4096

char *testcase_description = "seek to 0, own file of 4 KiB";

const struct testcase_needs testcase_needs = { .files = 1, .memory = BYTES };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	int file = scratch_file(BYTES);

	while (1) {
		CHECK(lseek(file, 0, SEEK_SET) == 0);
		(*iterations)++;
	}
}
