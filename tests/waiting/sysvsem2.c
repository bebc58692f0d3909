/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/sem.h>

#include "testcase.h"

char *testcase_description = "System V semaphore: add 1 and take it back, same semaphore";

static int set = -1;

void testcase_prepare(unsigned long nr_tasks)
{
	set = semget(IPC_PRIVATE, 1, 0600);
	if (set < 0)
		testcase_skip("semget: %m (sysctl kernel.sem)");
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	struct sembuf up = { .sem_op = 1 }, down = { .sem_op = -1 };

	while (1) {
		CHECK(semop(set, &up, 1) == 0);
		CHECK(semop(set, &down, 1) == 0);
		(*iterations)++;
	}
}

void testcase_cleanup(void)
{
	if (set >= 0)
		semctl(set, 0, IPC_RMID);
}
