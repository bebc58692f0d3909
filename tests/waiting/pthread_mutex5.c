/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <pthread.h>

#include "testcase.h"

char *testcase_description =
	"increment of a thread-local variable under one global mutex (processes have a copy each)";

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static __thread volatile unsigned long value;

void testcase(unsigned long long *iterations, unsigned long nr)
{
	while (1) {
		CHECK_ERROR(pthread_mutex_lock(&mutex));
		value++;
		CHECK_ERROR(pthread_mutex_unlock(&mutex));
		(*iterations)++;
	}
}
