/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <pthread.h>

#include "testcase.h"

char *testcase_description = "read lock and unlock of one read-write lock for all tasks";

static pthread_rwlock_t *lock;

void testcase_prepare(unsigned long nr_tasks)
{
	pthread_rwlockattr_t attributes;

	lock = shared_memory(sizeof(*lock));
	CHECK_ERROR(pthread_rwlockattr_init(&attributes));
	CHECK_ERROR(pthread_rwlockattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED));
	CHECK_ERROR(pthread_rwlock_init(lock, &attributes));
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	while (1) {
		CHECK_ERROR(pthread_rwlock_rdlock(lock));
		CHECK_ERROR(pthread_rwlock_unlock(lock));
		(*iterations)++;
	}
}
