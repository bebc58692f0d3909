/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <pthread.h>

#include "testcase.h"

char *testcase_description =
	"increment of a local variable under one global mutex (processes have a copy each)";

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void testcase(unsigned long long *iterations, unsigned long nr)
{
	volatile unsigned long value = 0;

	while (1) {
		CHECK_ERROR(pthread_mutex_lock(&mutex));
		value++;
		CHECK_ERROR(pthread_mutex_unlock(&mutex));
		(*iterations)++;
	}
}
