/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/resource.h>

#include "testcase.h"

char *testcase_description = "setpriority of the task to the nice value that it has already";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	int nice;

	errno = 0;
	nice = getpriority(PRIO_PROCESS, 0);
	CHECK(!errno);

	while (1) {
		CHECK(setpriority(PRIO_PROCESS, 0, nice) == 0);
		(*iterations)++;
	}
}
