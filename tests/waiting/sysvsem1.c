/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <sys/sem.h>

#include "testcase.h"

char *testcase_description = "System V semaphore: add 1 and take it back, own semaphore";

static int *ids;
static unsigned long made;

void testcase_prepare(unsigned long nr_tasks)
{
	ids = calloc(nr_tasks, sizeof(*ids));
	CHECK(ids);
	for (; made < nr_tasks; made++) {
		ids[made] = semget(IPC_PRIVATE, 1, 0600);
		if (ids[made] < 0) {
			int error = errno;

			testcase_cleanup();
			errno = error;
			testcase_skip("semget: %m (sysctl kernel.sem)");
		}
	}
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	int set = ids[nr];
	struct sembuf up = { .sem_op = 1 }, down = { .sem_op = -1 };

	while (1) {
		CHECK(semop(set, &up, 1) == 0);
		CHECK(semop(set, &down, 1) == 0);
		(*iterations)++;
	}
}

void testcase_cleanup(void)
{
	while (made)
		semctl(ids[--made], 0, IPC_RMID);
}
