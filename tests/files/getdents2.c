/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "testcase.h"

#define BYTES (32 << 10)
#define ENTRIES 64

char *testcase_description =
	"seek to 0 and list a directory of 64 files to its end, same directory, own descriptor";

const struct testcase_needs testcase_needs = { .files = 1, .memory = BYTES };

static const char *path;

void testcase_prepare(unsigned long nr_tasks)
{
	path = scratch_directory("same");
	for (int i = 0; i < ENTRIES; i++)
		scratch_shared_file(0, "same/%d", i);
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	int directory = open(path, O_RDONLY | O_DIRECTORY);
	char buffer[BYTES] ALIGNED;

	CHECK(directory >= 0);
	while (1) {
		long bytes;

		CHECK(lseek(directory, 0, SEEK_SET) == 0);
		do {
			bytes = syscall(SYS_getdents64, directory, buffer, BYTES);
		} while (bytes > 0);
		CHECK(bytes == 0);
		(*iterations)++;
	}
}
