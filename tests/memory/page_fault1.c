/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/mman.h>
#include <unistd.h>

#include "testcase.h"

#define BYTES (128UL << 20)

char *testcase_description =
	"write fault of one anonymous private page, of 128 MiB mapped and unmapped";

const struct testcase_needs testcase_needs = { .memory = BYTES };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	unsigned long page = sysconf(_SC_PAGESIZE);

	while (1) {
		char *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		CHECK(memory != MAP_FAILED);
		for (unsigned long at = 0; at < BYTES; at += page) {
			*(volatile char *)(memory + at) = 1;
			(*iterations)++;
		}
		CHECK(munmap(memory, BYTES) == 0);
	}
}
