/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <pthread.h>

#include "testcase.h"

char *testcase_description = "lock and unlock of one spin lock for all tasks";

static pthread_spinlock_t *lock;

void testcase_prepare(unsigned long nr_tasks)
{
	lock = shared_memory(sizeof(*lock));
	CHECK_ERROR(pthread_spin_init(lock, PTHREAD_PROCESS_SHARED));
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	while (1) {
		CHECK_ERROR(pthread_spin_lock(lock));
		CHECK_ERROR(pthread_spin_unlock(lock));
		(*iterations)++;
	}
}
