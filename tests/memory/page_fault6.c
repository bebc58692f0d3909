/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "testcase.h"

#define BYTES (128UL << 20)

char *testcase_description =
	"read fault of one anonymous page: the zero page is mapped, no huge one";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	unsigned long page = sysconf(_SC_PAGESIZE);

	while (1) {
		char *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		CHECK(memory != MAP_FAILED);
		CHECK(madvise(memory, BYTES, MADV_NOHUGEPAGE) == 0 || errno == EINVAL);
		for (unsigned long at = 0; at < BYTES; at += page) {
			(void)*(volatile char *)(memory + at);
			(*iterations)++;
		}
		CHECK(munmap(memory, BYTES) == 0);
	}
}
