/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "link and unlink, own file and name, all in one directory";

const struct testcase_needs testcase_needs = { .files = 1 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	const char *path = scratch_shared_file(0, "own-%lu", nr);
	const char *name = scratch_path("link-%lu", nr);

	if (link(path, name))
		testcase_skip("cannot make a hard link, see --dir: %m");
	CHECK(unlink(name) == 0);
	while (1) {
		CHECK(link(path, name) == 0);
		CHECK(unlink(name) == 0);
		(*iterations)++;
	}
}
