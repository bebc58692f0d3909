/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "testcase.h"

#define FILE_BYTES (1 << 20)

char *testcase_description =
	"O_DIRECT read of the next page, at the end seek to 0, same file of 1 MiB, own descriptor";

const struct testcase_needs testcase_needs = { .files = 1 };

static const char *path;

void testcase_prepare(unsigned long nr_tasks)
{
	path = scratch_shared_file(FILE_BYTES, "same");
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	ssize_t page = sysconf(_SC_PAGESIZE);
	char *buffer = aligned_alloc(page, page);
	int file = open(path, O_RDONLY | O_DIRECT);

	CHECK(buffer);
	if (file < 0 && errno == EINVAL)
		testcase_skip("the file system refuses O_DIRECT, see --dir: %m");
	CHECK(file >= 0);
	while (1) {
		ssize_t bytes = read(file, buffer, page);

		CHECK(bytes == page || bytes == 0);
		if (bytes == 0)
			CHECK(lseek(file, 0, SEEK_SET) == 0);
		(*iterations)++;
	}
}
