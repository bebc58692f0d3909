/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "write one byte to an own pipe and read it back";

const struct testcase_needs testcase_needs = { .files = 2, .memory = 4096 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	char byte = 0;
	int ends[2];

	CHECK(pipe(ends) == 0);
	while (1) {
		CHECK(write(ends[1], &byte, 1) == 1);
		CHECK(read(ends[0], &byte, 1) == 1);
		(*iterations)++;
	}
}
