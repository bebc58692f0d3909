/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "clock_gettime CLOCK_MONOTONIC, by system call";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	struct timespec now;

	while (1) {
		CHECK(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now) == 0);
		(*iterations)++;
	}
}
