/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "testcase.h"

#define BYTES 4096UL
#define TOTAL (64UL << 20)

char *testcase_description = "memcpy of the next 4 KiB of 64 MiB by the C library, own buffers";

const struct testcase_needs testcase_needs = { .memory = 2 * TOTAL };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	char *from = aligned_alloc(BYTES, TOTAL), *to = aligned_alloc(BYTES, TOTAL);
	size_t bytes = BYTES, at = 0;

	CHECK(from && to);
	memset(from, 1, TOTAL);
	memset(to, 1, TOTAL);
	/* A size that is known the compiler may copy with instructions of its own choice. */
	__asm__ volatile("" : "+r"(bytes));

	while (1) {
		memcpy(to + at, from + at, bytes);
		__asm__ volatile("" : : "r"(to), "r"(from) : "memory");
		at = (at + BYTES) % TOTAL;
		(*iterations)++;
	}
}
