/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "testcase.h"

#define WORDS 4096

char *testcase_description = "futex FUTEX_WAKE without a waiter, 4096 own words in turn";

const struct testcase_needs testcase_needs = { .memory = WORDS * sizeof(int) };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	int *words = shared_memory(WORDS * sizeof(*words));
	unsigned int at = 0;

	while (1) {
		CHECK(syscall(SYS_futex, &words[at], FUTEX_WAKE, 1, NULL, NULL, 0) == 0);
		at = (at + 1) % WORDS;
		(*iterations)++;
	}
}
