/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <sched.h>

#include "testcase.h"

#define CPUS 8192

char *testcase_description = "sched_setaffinity of the task to the CPUs that it has already";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	cpu_set_t *set = CPU_ALLOC(CPUS);
	size_t bytes = CPU_ALLOC_SIZE(CPUS);

	CHECK(set);
	CPU_ZERO_S(bytes, set);
	CHECK(sched_getaffinity(0, bytes, set) == 0);

	while (1) {
		CHECK(sched_setaffinity(0, bytes, set) == 0);
		(*iterations)++;
	}
}
