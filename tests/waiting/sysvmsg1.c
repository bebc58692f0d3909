/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <sys/msg.h>

#include "testcase.h"

#define TEXT 8

char *testcase_description = "System V message of 8 bytes: send and receive, own queue";

static int *ids;
static unsigned long made;

void testcase_prepare(unsigned long nr_tasks)
{
	ids = calloc(nr_tasks, sizeof(*ids));
	CHECK(ids);
	for (; made < nr_tasks; made++) {
		ids[made] = msgget(IPC_PRIVATE, 0600);
		if (ids[made] < 0) {
			int error = errno;

			testcase_cleanup();
			errno = error;
			testcase_skip("msgget: %m (sysctl kernel.msgmni)");
		}
	}
}

struct message {
	long type;
	char text[TEXT];
};

void testcase(unsigned long long *iterations, unsigned long nr)
{
	struct message message = { .type = 1 };
	int queue = ids[nr];

	while (1) {
		CHECK(msgsnd(queue, &message, TEXT, 0) == 0);
		CHECK(msgrcv(queue, &message, TEXT, 0, 0) == TEXT);
		(*iterations)++;
	}
}

void testcase_cleanup(void)
{
	while (made)
		msgctl(ids[--made], IPC_RMID, NULL);
}
