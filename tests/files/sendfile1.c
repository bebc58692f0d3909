/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/sendfile.h>
#include <unistd.h>

#include "testcase.h"

#define BYTES 4096

char *testcase_description =
	"sendfile of 4 KiB from one own file to another, and seek to 0 in that";

const struct testcase_needs testcase_needs = { .files = 2, .memory = 2 * BYTES };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	int from = scratch_file(BYTES), to = scratch_file(BYTES);

	while (1) {
		off_t at = 0;

		CHECK(sendfile(to, from, &at, BYTES) == BYTES);
		CHECK(lseek(to, 0, SEEK_SET) == 0);
		(*iterations)++;
	}
}
