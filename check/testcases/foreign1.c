/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Written as testcases for will-it-scale are: without our header. */
#define _GNU_SOURCE
#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

char *testcase_description = "Foreign source, two parameters, prepare, cleanup and a partner";

void new_task(void *(func)(void *), void *arg);

struct ends {
	int reading, writing;
};

static char *message;

static void *reader(void *arg)
{
	struct ends *ends = arg;
	char byte;

	while (1)
		assert(read(ends->reading, &byte, 1) == 1);
}

void testcase_prepare(unsigned long nr_tasks)
{
	message = malloc(nr_tasks);
	assert(message);
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	int fds[2];
	struct ends ends;

	assert(pipe(fds) == 0);
	ends.reading = fds[0];
	ends.writing = fds[1];
	new_task(reader, &ends);

	while (1) {
		assert(write(ends.writing, &message[nr], 1) == 1);
		(*iterations)++;
	}
}

void testcase_cleanup(void)
{
	free(message);
}
