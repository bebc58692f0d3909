/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "testcase.h"

#define BYTES 4096
#define FILE_BYTES (1 << 20)

char *testcase_description = "read the next 4 KiB, at the end seek to 0, own file of 1 MiB";

const struct testcase_needs testcase_needs = { .files = 1, .memory = 2 * FILE_BYTES };

void testcase_prepare(unsigned long nr_tasks)
{
	scratch_room((unsigned long long)nr_tasks * FILE_BYTES, nr_tasks);
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	char *buffer = aligned_alloc(64, FILE_BYTES);
	int file = scratch_file(0);

	CHECK(buffer);
	memset(buffer, 'o', FILE_BYTES);
	CHECK(pwrite(file, buffer, FILE_BYTES, 0) == FILE_BYTES);
	while (1) {
		ssize_t bytes = read(file, buffer, BYTES);

		CHECK(bytes == BYTES || bytes == 0);
		if (bytes == 0)
			CHECK(lseek(file, 0, SEEK_SET) == 0);
		(*iterations)++;
	}
}
