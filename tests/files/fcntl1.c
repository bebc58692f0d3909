/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "fcntl F_GETFL, own file";

const struct testcase_needs testcase_needs = { .files = 1 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	int file = scratch_file(0);

	while (1) {
		CHECK(fcntl(file, F_GETFL) >= 0);
		(*iterations)++;
	}
}
