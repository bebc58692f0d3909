/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description =
	"write lock or unlock the first byte (fcntl), same file, own descriptor";

const struct testcase_needs testcase_needs = { .files = 1 };

static const char *path;

void testcase_prepare(unsigned long nr_tasks)
{
	path = scratch_shared_file(0, "same");
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1 };
	struct flock unlock = { .l_type = F_UNLCK, .l_whence = SEEK_SET, .l_len = 1 };
	int file = open(path, O_RDWR);

	CHECK(file >= 0);
	while (1) {
		CHECK(fcntl(file, F_SETLKW, &lock) == 0);
		CHECK(fcntl(file, F_SETLKW, &unlock) == 0);
		(*iterations) += 2;
	}
}
