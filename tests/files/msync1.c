/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/mman.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "write 1 byte of a shared mapping of an own file and msync its page";

const struct testcase_needs testcase_needs = { .files = 1, .memory = 4096 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	long page = sysconf(_SC_PAGESIZE);
	int file = scratch_file(page);
	volatile char *memory = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

	CHECK(memory != MAP_FAILED);

	while (1) {
		memory[0]++;
		CHECK(msync((void *)memory, page, MS_SYNC) == 0);
		(*iterations)++;
	}
}
