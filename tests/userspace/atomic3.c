/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdint.h>

#include "testcase.h"

char *testcase_description = "atomic addition to an own word of a cache line that 8 tasks share";

static uint64_t *words;

void testcase_prepare(unsigned long nr_tasks)
{
	words = shared_memory(nr_tasks * sizeof(*words));
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	uint64_t *own = &words[nr];

	while (1) {
		__atomic_fetch_add(own, 1, __ATOMIC_SEQ_CST);
		(*iterations)++;
	}
}
