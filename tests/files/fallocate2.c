/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>

#include "testcase.h"

#define BYTES 8192
#define FILE_BYTES (1 << 20)

char *testcase_description = "fallocate the next 8 KiB, at 1 MiB truncate to 0, own file";

const struct testcase_needs testcase_needs = { .files = 1, .memory = FILE_BYTES };

void testcase_prepare(unsigned long nr_tasks)
{
	int file = scratch_file(0);

	if (fallocate(file, 0, 0, nr_tasks * FILE_BYTES))
		testcase_skip("cannot allocate %lu files of 1 MiB, see --dir: %m", nr_tasks);
	close(file);
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	int file = scratch_file(0);
	off_t offset = 0;

	while (1) {
		CHECK(fallocate(file, 0, offset, BYTES) == 0);
		offset += BYTES;
		if (offset == FILE_BYTES) {
			CHECK(ftruncate(file, 0) == 0);
			offset = 0;
		}
		(*iterations)++;
	}
}
