/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "write fault of an own page and madvise MADV_DONTNEED of it";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	unsigned long page = sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(memory != MAP_FAILED);

	while (1) {
		*(volatile char *)memory = 1;
		CHECK(madvise(memory, page, MADV_DONTNEED) == 0);
		(*iterations)++;
	}
}
