/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "testcase.h"

#define BYTES (1UL << 20)

char *testcase_description = "malloc of 1 MiB, fill it, and free it";

const struct testcase_needs testcase_needs = { .memory = BYTES };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	while (1) {
		char *memory = malloc(BYTES);

		CHECK(memory);
		memset(memory, 1, BYTES);
		__asm__ volatile("" : : "r"(memory) : "memory");
		free(memory);
		(*iterations)++;
	}
}
