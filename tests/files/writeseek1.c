/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <unistd.h>

#include "testcase.h"

#define BYTES 4096

char *testcase_description = "seek to 0 and write 4 KiB, own file";

const struct testcase_needs testcase_needs = { .files = 1, .memory = 2 * BYTES };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	char buffer[BYTES] ALIGNED = { 0 };
	int file = scratch_file(0);

	while (1) {
		CHECK(lseek(file, 0, SEEK_SET) == 0);
		CHECK(write(file, buffer, BYTES) == BYTES);
		(*iterations)++;
	}
}
