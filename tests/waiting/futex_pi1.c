/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <pthread.h>

#include "testcase.h"

char *testcase_description = "lock and unlock of one priority-inheriting mutex for all tasks";

static pthread_mutex_t *mutex;

void testcase_prepare(unsigned long nr_tasks)
{
	pthread_mutexattr_t attributes;

	mutex = shared_memory(sizeof(*mutex));
	CHECK_ERROR(pthread_mutexattr_init(&attributes));
	CHECK_ERROR(pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED));
	errno = pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
	if (errno == 0)
		errno = pthread_mutex_init(mutex, &attributes);
	if (errno == ENOTSUP)
		testcase_skip("a priority-inheriting mutex: %m (CONFIG_FUTEX_PI)");
	CHECK(errno == 0);
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	while (1) {
		CHECK_ERROR(pthread_mutex_lock(mutex));
		CHECK_ERROR(pthread_mutex_unlock(mutex));
		(*iterations)++;
	}
}
