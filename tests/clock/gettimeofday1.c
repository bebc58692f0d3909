/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/time.h>

#include "testcase.h"

char *testcase_description = "gettimeofday, by the vDSO where the machine has one";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	struct timeval now;

	while (1) {
		CHECK(gettimeofday(&now, NULL) == 0);
		(*iterations)++;
	}
}
