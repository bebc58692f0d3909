/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <spawn.h>
#include <sys/wait.h>

#include "testcase.h"

char *testcase_description = "posix_spawn of a small program that reads /proc/self/stat, and wait";

const struct testcase_needs testcase_needs = { .partners = 1, .whole_runs = true };

static const char *program;

void testcase_prepare(unsigned long nr_tasks)
{
	program = child_program();
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	char *arguments[] = { "opscale-child", "/proc/self/stat", NULL };
	char *environment[] = { NULL };

	while (1) {
		pid_t child;
		int status;

		CHECK_ERROR(posix_spawn(&child, program, NULL, NULL, arguments, environment));
		CHECK(waitpid(child, &status, 0) == child && status == 0);
		(*iterations)++;
	}
}
