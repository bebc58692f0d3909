/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

#include "testcase.h"

#define BYTES (1UL << 20)

char *testcase_description = "mremap: move 1 MiB of own touched memory";

const struct testcase_needs testcase_needs = { .memory = BYTES };

/* Reserved before the first task moves anything: nobody else may map what a move has left. */
static char *memory;

void testcase_prepare(unsigned long nr_tasks)
{
	memory = mmap(NULL, nr_tasks * 2 * BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(memory != MAP_FAILED);
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	char *from = memory + 2 * nr * BYTES, *to = from + BYTES;

	CHECK(mprotect(from, BYTES, PROT_READ | PROT_WRITE) == 0);
	memset(from, 1, BYTES);
	while (1) {
		char *moved = mremap(from, BYTES, BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, to);

		CHECK(moved == to);
		to = from;
		from = moved;
		(*iterations)++;
	}
}
