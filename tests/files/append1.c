/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>

#include "testcase.h"

#define BYTES 4096

char *testcase_description = "append 4 KiB, at 64 MiB truncate to 0, own file";

const struct testcase_needs testcase_needs = { .files = 1, .memory = (64 << 20) + BYTES };

const struct testcase_option testcase_options[] = {
	{ "size", "64", "MiB at which the file is truncated" },
	{ 0 }
};

static unsigned long long file_bytes;

void testcase_prepare(unsigned long nr_tasks)
{
	file_bytes = option_number("size") << 20;
	CHECK(file_bytes > 0);
	scratch_room(nr_tasks * file_bytes, nr_tasks);
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	char buffer[BYTES] ALIGNED = { 0 };
	unsigned long long size = 0;
	int file = scratch_file(0);

	CHECK(fcntl(file, F_SETFL, O_APPEND) == 0);
	while (1) {
		CHECK(write(file, buffer, BYTES) == BYTES);
		size += BYTES;
		if (size == file_bytes) {
			CHECK(ftruncate(file, 0) == 0);
			size = 0;
		}
		(*iterations)++;
	}
}
