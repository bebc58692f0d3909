/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "pidfd_open of the own process, and close";

const struct testcase_needs testcase_needs = { .files = 1 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	pid_t self = getpid();
	int file = syscall(SYS_pidfd_open, self, 0);

	if (file < 0)
		testcase_skip("pidfd_open: %m");
	CHECK(close(file) == 0);

	while (1) {
		file = syscall(SYS_pidfd_open, self, 0);
		CHECK(file >= 0);
		CHECK(close(file) == 0);
		(*iterations)++;
	}
}
