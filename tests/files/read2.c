/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <unistd.h>

#include "testcase.h"

#define BYTES 4096
#define FILE_BYTES (1 << 20)

char *testcase_description =
	"read the next 4 KiB, at the end seek to 0, same file of 1 MiB, own descriptor";

const struct testcase_needs testcase_needs = { .files = 1, .memory = BYTES };

static const char *path;

void testcase_prepare(unsigned long nr_tasks)
{
	path = scratch_shared_file(FILE_BYTES, "same");
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	char buffer[BYTES] ALIGNED;
	int file = open(path, O_RDONLY);

	CHECK(file >= 0);
	while (1) {
		ssize_t bytes = read(file, buffer, BYTES);

		CHECK(bytes == BYTES || bytes == 0);
		if (bytes == 0)
			CHECK(lseek(file, 0, SEEK_SET) == 0);
		(*iterations)++;
	}
}
