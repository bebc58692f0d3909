/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <semaphore.h>

#include "testcase.h"

char *testcase_description = "sem_wait and sem_post of an own semaphore";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	sem_t semaphore;

	CHECK(sem_init(&semaphore, 0, 1) == 0);
	while (1) {
		CHECK(sem_wait(&semaphore) == 0);
		CHECK(sem_post(&semaphore) == 0);
		(*iterations)++;
	}
}
