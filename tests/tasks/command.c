/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

#include "testcase.h"

char *testcase_description = "posix_spawn of a command, its output to /dev/null, and wait";

const struct testcase_needs testcase_needs = {
	.partners = 1,
	.memory = 4 << 20,
	.whole_runs = true,
};

const struct testcase_option testcase_options[] = {
	{ "command", "true", "program and arguments, quoted as for a shell" },
	{ 0 }
};

static wordexp_t words;
static posix_spawn_file_actions_t streams;

/* Ends the run where the command does not end with status 0. */
static void run_command(void)
{
	pid_t child;
	int status, error;

	error = posix_spawnp(&child, words.we_wordv[0], &streams, NULL, words.we_wordv, environ);
	if (error)
		testcase_fail("cannot run `%s': %s", option_text("command"), strerror(error));
	CHECK(waitpid(child, &status, 0) == child);
	if (__builtin_expect(status != 0, 0))
		testcase_fail("`%s' %s %d", option_text("command"),
			      WIFSIGNALED(status) ? "was killed by signal" : "ended with status",
			      WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

void testcase_prepare(unsigned long nr_tasks)
{
	if (wordexp(option_text("command"), &words, WRDE_NOCMD | WRDE_UNDEF) || !words.we_wordc)
		testcase_fail("`%s' is no single command: sh -c '...' runs what only a shell can",
			      option_text("command"));
	CHECK_ERROR(posix_spawn_file_actions_init(&streams));
	CHECK_ERROR(posix_spawn_file_actions_addopen(&streams, 0, "/dev/null", O_RDONLY, 0));
	CHECK_ERROR(posix_spawn_file_actions_addopen(&streams, 1, "/dev/null", O_WRONLY, 0));
	CHECK_ERROR(posix_spawn_file_actions_addopen(&streams, 2, "/dev/null", O_WRONLY, 0));
	run_command();
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	while (1) {
		run_command();
		(*iterations)++;
	}
}
