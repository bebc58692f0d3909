/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <sys/shm.h>

#include "testcase.h"

char *testcase_description = "attach and detach a System V segment of one page, own segment";

static int *ids;
static unsigned long made;

void testcase_prepare(unsigned long nr_tasks)
{
	ids = calloc(nr_tasks, sizeof(*ids));
	CHECK(ids);
	for (; made < nr_tasks; made++) {
		ids[made] = shmget(IPC_PRIVATE, 4096, 0600);
		if (ids[made] < 0) {
			int error = errno;

			testcase_cleanup();
			errno = error;
			testcase_skip("shmget: %m (sysctl kernel.shmmni)");
		}
	}
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	int segment = ids[nr];

	while (1) {
		void *memory = shmat(segment, NULL, 0);

		CHECK(memory != (void *)-1);
		CHECK(shmdt(memory) == 0);
		(*iterations)++;
	}
}

void testcase_cleanup(void)
{
	while (made)
		shmctl(ids[--made], IPC_RMID, NULL);
}
