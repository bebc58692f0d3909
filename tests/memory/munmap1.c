/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/mman.h>
#include <unistd.h>

#include "testcase.h"

#define PAGES 64

char *testcase_description = "map, touch and unmap 64 pages, anonymous and private";

const struct testcase_needs testcase_needs = { .memory = 256 << 10 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	unsigned long page = sysconf(_SC_PAGESIZE);

	while (1) {
		char *memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		CHECK(memory != MAP_FAILED);
		for (unsigned long at = 0; at < PAGES * page; at += page)
			*(volatile char *)(memory + at) = 1;
		CHECK(munmap(memory, PAGES * page) == 0);
		(*iterations)++;
	}
}
