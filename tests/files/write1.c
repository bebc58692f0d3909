/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <unistd.h>

#include "testcase.h"

#define BYTES 4096
#define FILE_BYTES (1 << 20)

char *testcase_description = "write the next 4 KiB, at the end seek to 0, own file of 1 MiB";

const struct testcase_needs testcase_needs = { .files = 1, .memory = FILE_BYTES + BYTES };

void testcase_prepare(unsigned long nr_tasks)
{
	scratch_room((unsigned long long)nr_tasks * FILE_BYTES, nr_tasks);
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	char buffer[BYTES] ALIGNED = { 0 };
	int file = scratch_file(0);
	size_t written = 0;

	while (1) {
		CHECK(write(file, buffer, BYTES) == BYTES);
		written += BYTES;
		if (written == FILE_BYTES) {
			CHECK(lseek(file, 0, SEEK_SET) == 0);
			written = 0;
		}
		(*iterations)++;
	}
}
