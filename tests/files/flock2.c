/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "flock and unlock, same file, own descriptor";

const struct testcase_needs testcase_needs = { .files = 1 };

static const char *path;

void testcase_prepare(unsigned long nr_tasks)
{
	path = scratch_shared_file(0, "same");
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	int file = open(path, O_RDWR);

	CHECK(file >= 0);

	while (1) {
		CHECK(flock(file, LOCK_EX) == 0);
		CHECK(flock(file, LOCK_UN) == 0);
		(*iterations)++;
	}
}
