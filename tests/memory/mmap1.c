/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/mman.h>

#include "testcase.h"

#define BYTES (128UL << 20)

char *testcase_description = "map and unmap 128 MiB, anonymous and private, untouched";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	while (1) {
		char *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		CHECK(memory != MAP_FAILED);
		CHECK(munmap(memory, BYTES) == 0);
		(*iterations)++;
	}
}
