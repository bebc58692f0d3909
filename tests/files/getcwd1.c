/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <limits.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "getcwd: the path of the current directory, by system call";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	char path[PATH_MAX];

	while (1) {
		CHECK(syscall(SYS_getcwd, path, sizeof(path)) > 0);
		(*iterations)++;
	}
}
