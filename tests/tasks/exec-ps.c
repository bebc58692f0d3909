/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "posix_spawn of `ps -eux`, its output to /dev/null, and wait";

const struct testcase_needs testcase_needs = {
	.partners = 1,
	.memory = 4 << 20,
	.whole_runs = true,
};

static const char *program;
static posix_spawn_file_actions_t output;

/* Where distributions have it; PATH is not part of what is measured. */
static const char *find_ps(void)
{
	static const char *const paths[] = { "/usr/bin/ps", "/bin/ps" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (!access(paths[i], X_OK))
			return paths[i];
	testcase_skip("there is no ps (package procps)");
}

static int run_ps(void)
{
	char *arguments[] = { "ps", "-eux", NULL }, *environment[] = { NULL };
	pid_t child;
	int status;

	CHECK_ERROR(posix_spawn(&child, program, &output, NULL, arguments, environment));
	CHECK(waitpid(child, &status, 0) == child);
	return status;
}

void testcase_prepare(unsigned long nr_tasks)
{
	program = find_ps();
	CHECK_ERROR(posix_spawn_file_actions_init(&output));
	CHECK_ERROR(posix_spawn_file_actions_addopen(&output, 1, "/dev/null", O_WRONLY, 0));
	CHECK_ERROR(posix_spawn_file_actions_addopen(&output, 2, "/dev/null", O_WRONLY, 0));
	if (run_ps())
		testcase_skip("`%s -eux` fails here: it is not that of procps, or lacks /proc",
			      program);
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	while (1) {
		CHECK(run_ps() == 0);
		(*iterations)++;
	}
}
