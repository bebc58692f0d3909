/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/mman.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "mprotect of an own page: read-only, and writable again";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	unsigned long page = sysconf(_SC_PAGESIZE);
	/* Between pages without access it merges with nothing that other tasks have mapped. */
	char *area = mmap(NULL, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *memory = area + page;

	CHECK(area != MAP_FAILED);
	CHECK(mprotect(memory, page, PROT_READ | PROT_WRITE) == 0);
	*(volatile char *)memory = 1;

	while (1) {
		CHECK(mprotect(memory, page, PROT_READ) == 0);
		CHECK(mprotect(memory, page, PROT_READ | PROT_WRITE) == 0);
		(*iterations)++;
	}
}
