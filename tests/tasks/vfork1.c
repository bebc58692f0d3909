/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <sys/wait.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "vfork, exit of the child, wait";

const struct testcase_needs testcase_needs = { .partners = 1, .whole_runs = true };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	while (1) {
		pid_t child = vfork();
		int status;

		CHECK(child >= 0);
		if (!child)
			_exit(0);
		CHECK(waitpid(child, &status, 0) == child && status == 0);
		(*iterations)++;
	}
}
