/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "testcase.h"

#define BYTES 4096

char *testcase_description = "memcpy of 4 KiB by the C library, own buffers";

const struct testcase_needs testcase_needs = { .memory = 2 * BYTES };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	char from[BYTES] __attribute__((aligned(BYTES))), to[BYTES] __attribute__((aligned(BYTES)));
	size_t bytes = BYTES;

	memset(from, 1, BYTES);
	/* A size that is known the compiler may copy with instructions of its own choice. */
	__asm__ volatile("" : "+r"(bytes));

	while (1) {
		memcpy(to, from, bytes);
		__asm__ volatile("" : : "r"(to), "r"(from) : "memory");
		(*iterations)++;
	}
}
