/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "fstat by system call, same file, own descriptor";

const struct testcase_needs testcase_needs = { .files = 1 };

static const char *path;

void testcase_prepare(unsigned long nr_tasks)
{
	path = scratch_shared_file(0, "same");
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	int file = open(path, O_RDONLY);
	struct stat status;

	CHECK(file >= 0);
	while (1) {
		CHECK(syscall(SYS_fstat, file, &status) == 0);
		(*iterations)++;
	}
}
