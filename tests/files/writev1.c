/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/uio.h>
#include <unistd.h>

#include "testcase.h"

#define PARTS 4
#define PART 1024

char *testcase_description = "seek to 0 and writev of 4 buffers of 1 KiB, own file";

const struct testcase_needs testcase_needs = { .files = 1, .memory = 2 * PARTS * PART };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	char buffers[PARTS][PART] ALIGNED = { 0 };
	struct iovec parts[PARTS];
	int file = scratch_file(PARTS * PART);

	for (int i = 0; i < PARTS; i++)
		parts[i] = (struct iovec) { .iov_base = buffers[i], .iov_len = PART };

	while (1) {
		CHECK(lseek(file, 0, SEEK_SET) == 0);
		CHECK(writev(file, parts, PARTS) == PARTS * PART);
		(*iterations)++;
	}
}
