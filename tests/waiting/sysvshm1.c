/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/shm.h>

#include "testcase.h"

#define SIZE 4096

char *testcase_description = "attach and detach a System V segment of one page, own segment";

static int *segments;

/*
 * A segment that is removed lives on while it is attached: here, so that all vanish with this
 * process however it ends, and not in the tasks, whose maps would grow with their number.
 */
void testcase_prepare(unsigned long nr_tasks)
{
	segments = calloc(nr_tasks, sizeof(*segments));
	CHECK(segments);
	for (unsigned long i = 0; i < nr_tasks; i++) {
		void *memory;

		segments[i] = shmget(IPC_PRIVATE, SIZE, 0600);
		if (segments[i] < 0)
			testcase_skip("shmget: %m (sysctl kernel.shmmni)");
		memory = shmat(segments[i], NULL, 0);
		CHECK(shmctl(segments[i], IPC_RMID, NULL) == 0);
		CHECK(memory != (void *)-1);
		CHECK(madvise(memory, SIZE, MADV_DONTFORK) == 0);
	}
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	int segment = segments[nr];

	while (1) {
		void *memory = shmat(segment, NULL, 0);

		CHECK(memory != (void *)-1);
		CHECK(shmdt(memory) == 0);
		(*iterations)++;
	}
}
