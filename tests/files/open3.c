/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "open and close, same file";

const struct testcase_needs testcase_needs = { .files = 1 };

static const char *path;

void testcase_prepare(unsigned long nr_tasks)
{
	path = scratch_shared_file(0, "same");
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	while (1) {
		int file = open(path, O_RDWR);

		CHECK(file >= 0);
		CHECK(close(file) == 0);
		(*iterations)++;
	}
}
