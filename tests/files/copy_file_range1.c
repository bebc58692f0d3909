/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>

#include "testcase.h"

#define BYTES 4096

char *testcase_description = "copy_file_range of 4 KiB from one own file to another";

const struct testcase_needs testcase_needs = { .files = 2, .memory = 2 * BYTES };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	int from = scratch_file(BYTES), to = scratch_file(BYTES);
	off_t start = 0, end = 0;

	if (copy_file_range(from, &start, to, &end, BYTES, 0) != BYTES)
		testcase_skip("copy_file_range, see --dir: %m");

	while (1) {
		off_t in = 0, out = 0;

		CHECK(copy_file_range(from, &in, to, &out, BYTES, 0) == BYTES);
		(*iterations)++;
	}
}
