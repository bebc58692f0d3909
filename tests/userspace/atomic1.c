/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdint.h>

#include "testcase.h"

char *testcase_description = "atomic addition to an own counter";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	uint64_t counter __attribute__((aligned(256))) = 0;

	while (1) {
		__atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
		(*iterations)++;
	}
}
