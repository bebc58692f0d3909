/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "memfd_create and close";

const struct testcase_needs testcase_needs = { .files = 1 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	int probe = memfd_create("opscale", MFD_CLOEXEC);

	if (probe < 0)
		testcase_skip("memfd_create: %m");
	CHECK(close(probe) == 0);
	while (1) {
		int file = memfd_create("opscale", MFD_CLOEXEC);

		CHECK(file >= 0);
		CHECK(close(file) == 0);
		(*iterations)++;
	}
}
