/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "fstat by system call, own file";

const struct testcase_needs testcase_needs = { .files = 1 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	int file = scratch_file(0);
	struct stat status;

	while (1) {
		CHECK(syscall(SYS_fstat, file, &status) == 0);
		(*iterations)++;
	}
}
