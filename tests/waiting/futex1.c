/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "futex FUTEX_WAKE of an own word that nobody waits on";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	uint32_t word = 0;

	while (1) {
		CHECK(syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0) == 0);
		(*iterations)++;
	}
}
