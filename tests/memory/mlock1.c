/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/mman.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "mlock and munlock of an own page";

/* All threads together have the limit of one process. */
void testcase_prepare(unsigned long nr_tasks)
{
	size_t bytes = nr_tasks * sysconf(_SC_PAGESIZE);
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	CHECK(memory != MAP_FAILED);
	if (mlock(memory, bytes))
		testcase_skip("mlock of a page for each of %lu tasks: %m (ulimit -l)", nr_tasks);
	CHECK(munmap(memory, bytes) == 0);
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	unsigned long page = sysconf(_SC_PAGESIZE);
	/* Between pages without access it merges with nothing that other tasks have mapped. */
	char *area = mmap(NULL, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *memory = area + page;

	CHECK(area != MAP_FAILED);
	CHECK(mprotect(memory, page, PROT_READ | PROT_WRITE) == 0);

	while (1) {
		CHECK(mlock(memory, page) == 0);
		CHECK(munlock(memory, page) == 0);
		(*iterations)++;
	}
}
