/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/mman.h>
#include <unistd.h>

#include "testcase.h"

#define BYTES (128UL << 20)

char *testcase_description = "map and unmap 128 MiB of an own file, private, untouched";

const struct testcase_needs testcase_needs = { .files = 1 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	int file = scratch_file(0);

	CHECK(ftruncate(file, BYTES) == 0);

	while (1) {
		char *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);

		CHECK(memory != MAP_FAILED);
		CHECK(munmap(memory, BYTES) == 0);
		(*iterations)++;
	}
}
