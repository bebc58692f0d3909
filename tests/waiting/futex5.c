/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description =
	"futex FUTEX_WAKE without a waiter, same word: one hash bucket for all";

static int *word;

void testcase_prepare(unsigned long nr_tasks)
{
	word = shared_memory(sizeof(*word));
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	while (1) {
		CHECK(syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0) == 0);
		(*iterations)++;
	}
}
