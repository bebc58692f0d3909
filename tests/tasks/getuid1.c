/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "getuid";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	while (1) {
		getuid();
		(*iterations)++;
	}
}
