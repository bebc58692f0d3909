/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "testcase.h"

/* 1024 divided by the golden ratio. */
#define STEP 633

char *testcase_description =
	"unlink an empty file, of a batch created before, own names, same directory";

const struct testcase_needs testcase_needs = { .files = 2, .memory = 2 << 20 };

const struct testcase_option testcase_options[] = {
	{ "batch", "1024", "files that are created before they are unlinked" },
	{ 0 }
};

static const char *path;

void testcase_prepare(unsigned long nr_tasks)
{
	unsigned long long batch = option_number("batch");

	CHECK(batch > 0);
	scratch_room(0, nr_tasks * batch);
	path = scratch_directory("same");
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	int directory = open(path, O_RDONLY | O_DIRECTORY);
	int batch = option_number("batch");
	/* Tasks in step would all create, and then all unlink. */
	int first = nr * STEP % batch;
	char name[32];

	CHECK(directory >= 0);
	while (1) {
		for (int i = first; i < batch; i++) {
			int file;

			snprintf(name, sizeof(name), "%lu-%d", nr, i);
			file = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL, 0600);
			CHECK(file >= 0);
			CHECK(close(file) == 0);
		}
		for (int i = first; i < batch; i++) {
			snprintf(name, sizeof(name), "%lu-%d", nr, i);
			CHECK(unlinkat(directory, name, 0) == 0);
			(*iterations)++;
		}
		first = 0;
	}
}
