/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdint.h>

#include "testcase.h"

char *testcase_description = "atomic addition to one counter for all tasks";

static uint64_t *counter;

void testcase_prepare(unsigned long nr_tasks)
{
	counter = shared_memory(sizeof(*counter));
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	uint64_t *same = counter;

	while (1) {
		__atomic_fetch_add(same, 1, __ATOMIC_SEQ_CST);
		(*iterations)++;
	}
}
