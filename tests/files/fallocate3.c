/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>

#include "testcase.h"

#define BYTES 4096

char *testcase_description =
	"fallocate 4 KiB beyond the end, keeping the size, and truncate to it, own file of 4 KiB";

const struct testcase_needs testcase_needs = { .files = 1, .memory = 2 * BYTES };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	int file = scratch_file(BYTES);

	if (fallocate(file, FALLOC_FL_KEEP_SIZE, BYTES, BYTES))
		testcase_skip("cannot allocate beyond the end of a file, see --dir: %m");
	while (1) {
		CHECK(fallocate(file, FALLOC_FL_KEEP_SIZE, BYTES, BYTES) == 0);
		CHECK(ftruncate(file, BYTES) == 0);
		(*iterations)++;
	}
}
