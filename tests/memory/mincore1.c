/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

#include "testcase.h"

#define BYTES (1UL << 20)

char *testcase_description = "mincore of 1 MiB of own touched memory";

const struct testcase_needs testcase_needs = { .memory = BYTES };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	unsigned char pages[BYTES >> 12];
	char *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	CHECK(memory != MAP_FAILED);
	/* Where tasks' memory lies side by side, a huge page may fit; EINVAL: there are none. */
	CHECK(madvise(memory, BYTES, MADV_NOHUGEPAGE) == 0 || errno == EINVAL);
	memset(memory, 1, BYTES);

	while (1) {
		CHECK(mincore(memory, BYTES, pages) == 0);
		(*iterations)++;
	}
}
