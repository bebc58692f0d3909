/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <pthread.h>

#include "testcase.h"

char *testcase_description = "pthread_create of a thread that ends at once, and pthread_join";

const struct testcase_needs testcase_needs = { .partners = 1 };

static void *thread_main(void *arg)
{
	return arg;
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	while (1) {
		pthread_t thread;

		CHECK_ERROR(pthread_create(&thread, NULL, thread_main, NULL));
		CHECK_ERROR(pthread_join(thread, NULL));
		(*iterations)++;
	}
}
