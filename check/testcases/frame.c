/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdint.h>

#include "testcase.h"

char *testcase_description =
	"tells at which offset in a page a local variable of the testcase lies";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	uint64_t local __attribute__((aligned(8)));

	testcase_skip("offset %lu", (unsigned long)((uintptr_t)&local % 4096));
}
