/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "testcase.h"

#define PAGES 64

char *testcase_description =
	"mprotect of every other page of an own shared mapping: read-only, and writable again";

const struct testcase_needs testcase_needs = { .memory = 256 << 10 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	unsigned long page = sysconf(_SC_PAGESIZE);
	char *memory = shared_memory(PAGES * page);
	unsigned long at = 0;

	memset(memory, 1, PAGES * page);
	while (1) {
		CHECK(mprotect(memory + at, page, PROT_READ) == 0);
		CHECK(mprotect(memory + at, page, PROT_READ | PROT_WRITE) == 0);
		at = (at + 2 * page) % (PAGES * page);
		(*iterations)++;
	}
}
