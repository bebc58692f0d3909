/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <signal.h>
#include <sys/resource.h>
#include <time.h>

#include "testcase.h"

char *testcase_description = "timer_create and timer_delete of a timer that sends no signal";

void testcase_prepare(unsigned long nr_tasks)
{
	struct rlimit limit;

	CHECK(getrlimit(RLIMIT_SIGPENDING, &limit) == 0);
	if (limit.rlim_cur < nr_tasks)
		testcase_skip("a timer a task is more than %llu pending signals (ulimit -i)",
			      (unsigned long long)limit.rlim_cur);
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	while (1) {
		struct sigevent event = { .sigev_notify = SIGEV_NONE };
		timer_t timer;

		CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
		CHECK(timer_delete(timer) == 0);
		(*iterations)++;
	}
}
