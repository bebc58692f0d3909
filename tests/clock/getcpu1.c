/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <sched.h>

#include "testcase.h"

char *testcase_description =
	"getcpu, by the vDSO or restartable sequences where the machine has them";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	unsigned int cpu, node;

	while (1) {
		CHECK(getcpu(&cpu, &node) == 0);
		(*iterations)++;
	}
}
