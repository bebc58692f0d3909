/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "testcase.h"

#define TEXT 8

char *testcase_description = "POSIX message of 8 bytes: send and receive, own queue";

const struct testcase_needs testcase_needs = { .files = 1 };

static mqd_t *queues;

/* Here and not in the tasks: one that is killed before it unlinks would leave the name behind. */
void testcase_prepare(unsigned long nr_tasks)
{
	struct mq_attr attributes = { .mq_maxmsg = 1, .mq_msgsize = TEXT };
	char name[64];

	queues = calloc(nr_tasks, sizeof(*queues));
	CHECK(queues);
	snprintf(name, sizeof(name), "/opscale-%d", getpid());
	for (unsigned long i = 0; i < nr_tasks; i++) {
		queues[i] = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
		if (queues[i] == (mqd_t)-1)
			testcase_skip("mq_open: %m (sysctl fs.mqueue.queues_max, ulimit -q)");
		CHECK(mq_unlink(name) == 0);
	}
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	char text[TEXT] = { 0 };
	mqd_t queue = queues[nr];

	while (1) {
		CHECK(mq_send(queue, text, TEXT, 0) == 0);
		CHECK(mq_receive(queue, text, TEXT, NULL) == TEXT);
		(*iterations)++;
	}
}
