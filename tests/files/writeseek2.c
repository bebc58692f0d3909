/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <unistd.h>

#include "testcase.h"

#define BYTES 4096

char *testcase_description = "seek to 0 and write 4 KiB, same file, own descriptor";

const struct testcase_needs testcase_needs = { .files = 1, .memory = BYTES };

static const char *path;

void testcase_prepare(unsigned long nr_tasks)
{
	path = scratch_shared_file(BYTES, "same");
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	char buffer[BYTES] ALIGNED = { 0 };
	int file = open(path, O_RDWR);

	CHECK(file >= 0);
	while (1) {
		CHECK(lseek(file, 0, SEEK_SET) == 0);
		CHECK(write(file, buffer, BYTES) == BYTES);
		(*iterations)++;
	}
}
