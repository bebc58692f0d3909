/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>

#include "testcase.h"

#define BYTES 4096

char *testcase_description =
	"splice of 4 KiB from an own file to a pipe and on to another own file";

const struct testcase_needs testcase_needs = { .files = 4, .memory = 2 * BYTES };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	int from = scratch_file(BYTES), to = scratch_file(BYTES);
	int ends[2];

	CHECK(pipe(ends) == 0);

	while (1) {
		off_t in = 0, out = 0;

		CHECK(splice(from, &in, ends[1], NULL, BYTES, 0) == BYTES);
		CHECK(splice(ends[0], NULL, to, &out, BYTES, 0) == BYTES);
		(*iterations)++;
	}
}
