/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "counts, until one task or its partner comes to a bad end";

const struct testcase_option testcase_options[] = {
	{ "how", "segv",
	  "segv abort kill exit0 exit3 return block spin check pthread_exit partner-NAME "
	  "prepare-NAME" },
	{ "task", "0", "which task" },
	{ "after", "1000000", "operations before its end" },
	{ 0 }
};

static int *volatile nowhere;

static void end(const char *how)
{
	if (!strcmp(how, "segv"))
		*nowhere = 1;
	else if (!strcmp(how, "abort"))
		abort();
	else if (!strcmp(how, "kill"))
		kill(getpid(), SIGKILL);
	else if (!strcmp(how, "exit0"))
		exit(0);
	else if (!strcmp(how, "exit3"))
		_exit(3);
	else if (!strcmp(how, "block"))
		pause();
	else if (!strcmp(how, "spin"))
		while (1)
			__asm__ volatile("");
	else if (!strcmp(how, "check"))
		CHECK(close(-1) == 0);
	else if (!strcmp(how, "pthread_exit"))
		pthread_exit(NULL);
	else if (strcmp(how, "return"))
		testcase_skip("option how=%s is not among those this fixture knows", how);
}

static void *partner(void *arg)
{
	usleep(100000);
	end(arg);
	return NULL;
}

void testcase_prepare(unsigned long nr_tasks)
{
	if (!strncmp(option_text("how"), "prepare-", 8))
		end(option_text("how") + 8);
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	const char *how = option_text("how");
	unsigned long long after = nr == option_number("task") ? option_number("after") : ~0ULL;

	if (after != ~0ULL && !strncmp(how, "partner-", 8)) {
		new_task(partner, (void *)(how + 8));
		after = ~0ULL;
	}
	while (*iterations < after) {
		__asm__ volatile("" : : : "memory");
		(*iterations)++;
	}
	end(how);
}
