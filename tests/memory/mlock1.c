/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/mman.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "mlock and munlock of an own page";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	unsigned long page = sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(memory != MAP_FAILED);
	if (mlock(memory, page))
		testcase_skip("mlock: %m (ulimit -l)");

	while (1) {
		CHECK(mlock(memory, page) == 0);
		CHECK(munlock(memory, page) == 0);
		(*iterations)++;
	}
}
