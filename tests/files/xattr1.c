/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/xattr.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "set and get an extended attribute of 16 bytes, own file";

const struct testcase_needs testcase_needs = { .files = 1 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	int file = scratch_file(0);
	char value[16] = "opscale";

	if (fsetxattr(file, "user.opscale", value, sizeof(value), 0))
		testcase_skip("extended attributes of the scratch directory, see --dir: %m");

	while (1) {
		/* ext4 does not write a value that is there already. */
		value[0]++;
		CHECK(fsetxattr(file, "user.opscale", value, sizeof(value), 0) == 0);
		CHECK(fgetxattr(file, "user.opscale", value, sizeof(value)) == sizeof(value));
		(*iterations)++;
	}
}
