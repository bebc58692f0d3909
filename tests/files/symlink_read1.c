/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description =
	"readlink, own symbolic link to a name of 4 bytes, all in one directory";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	const char *path = scratch_path("own-%lu", nr);
	char buffer[64];

	if (symlink("file", path))
		testcase_skip("cannot make a symbolic link, see --dir: %m");
	while (1) {
		CHECK(readlink(path, buffer, sizeof(buffer)) == strlen("file"));
		(*iterations)++;
	}
}
