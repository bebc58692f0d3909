/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "testcase.h"

#define FILE_BYTES (1 << 20)

char *testcase_description =
	"O_DIRECT read of the next page, at the end seek to 0, own file of 1 MiB";

const struct testcase_needs testcase_needs = { .files = 1, .memory = 2 * FILE_BYTES };

void testcase_prepare(unsigned long nr_tasks)
{
	scratch_room((unsigned long long)nr_tasks * FILE_BYTES, nr_tasks);
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	ssize_t page = sysconf(_SC_PAGESIZE);
	char *buffer = aligned_alloc(page, FILE_BYTES);
	int file = scratch_file(0);

	CHECK(buffer);
	if (fcntl(file, F_SETFL, O_DIRECT))
		testcase_skip("the file system refuses O_DIRECT, see --dir: %m");
	/* Written with O_DIRECT too, so that the page cache holds nothing of it. */
	memset(buffer, 'o', FILE_BYTES);
	CHECK(pwrite(file, buffer, FILE_BYTES, 0) == FILE_BYTES);
	while (1) {
		ssize_t bytes = read(file, buffer, page);

		CHECK(bytes == page || bytes == 0);
		if (bytes == 0)
			CHECK(lseek(file, 0, SEEK_SET) == 0);
		(*iterations)++;
	}
}
