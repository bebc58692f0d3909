/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <pthread.h>

#include "testcase.h"

char *testcase_description = "lock and unlock of an own mutex on the stack";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	while (1) {
		CHECK_ERROR(pthread_mutex_lock(&mutex));
		CHECK_ERROR(pthread_mutex_unlock(&mutex));
		(*iterations)++;
	}
}
