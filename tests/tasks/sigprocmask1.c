/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <pthread.h>
#include <signal.h>

#include "testcase.h"

char *testcase_description = "block a signal and unblock it, of the task";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	sigset_t set;

	CHECK(sigemptyset(&set) == 0);
	CHECK(sigaddset(&set, SIGUSR1) == 0);

	while (1) {
		CHECK_ERROR(pthread_sigmask(SIG_BLOCK, &set, NULL));
		CHECK_ERROR(pthread_sigmask(SIG_UNBLOCK, &set, NULL));
		(*iterations)++;
	}
}
