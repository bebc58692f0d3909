/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/resource.h>

#include "testcase.h"

char *testcase_description = "getrusage of the process";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	struct rusage usage;

	while (1) {
		CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
		(*iterations)++;
	}
}
