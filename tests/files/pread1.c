/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <unistd.h>

#include "testcase.h"

#define BYTES 4096

char *testcase_description = "pread of 4 KiB at offset 0, own file";

const struct testcase_needs testcase_needs = { .files = 1, .memory = 2 * BYTES };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	char buffer[BYTES] ALIGNED;
	int file = scratch_file(BYTES);

	while (1) {
		CHECK(pread(file, buffer, BYTES, 0) == BYTES);
		(*iterations)++;
	}
}
