/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/mman.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "map one page, anonymous and private, touch it, unmap it";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	unsigned long page = sysconf(_SC_PAGESIZE);

	while (1) {
		char *memory = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				    -1, 0);

		CHECK(memory != MAP_FAILED);
		*(volatile char *)memory = 1;
		CHECK(munmap(memory, page) == 0);
		(*iterations)++;
	}
}
