/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>

#include "testcase.h"

char *testcase_description =
	"fstatat of a two-component path relative to the descriptor of an own directory, own file";

const struct testcase_needs testcase_needs = { .files = 2 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	int directory = open(scratch_directory("own-%lu", nr), O_RDONLY | O_DIRECTORY);
	struct stat status;

	CHECK(directory >= 0);
	scratch_directory("own-%lu/inner", nr);
	scratch_shared_file(0, "own-%lu/inner/file", nr);
	while (1) {
		CHECK(fstatat(directory, "inner/file", &status, 0) == 0);
		(*iterations)++;
	}
}
