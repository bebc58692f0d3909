/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <unistd.h>

#include "testcase.h"

#define BYTES 4096

char *testcase_description = "open, read 4 KiB and close, same file";

const struct testcase_needs testcase_needs = { .files = 1, .memory = BYTES };

static const char *path;

void testcase_prepare(unsigned long nr_tasks)
{
	path = scratch_shared_file(BYTES, "same");
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	char buffer[BYTES] ALIGNED;

	while (1) {
		int file = open(path, O_RDONLY);

		CHECK(file >= 0);
		CHECK(read(file, buffer, BYTES) == BYTES);
		CHECK(close(file) == 0);
		(*iterations)++;
	}
}
