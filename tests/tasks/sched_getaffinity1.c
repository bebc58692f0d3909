/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

#include "testcase.h"

/* The most that kernels are built for. */
#define CPUS 8192

char *testcase_description = "sched_getaffinity of the task, by system call";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	char set[CPUS / 8] ALIGNED;

	while (1) {
		/* The C library's function would clear what the kernel leaves of the set. */
		CHECK(syscall(SYS_sched_getaffinity, 0, sizeof(set), set) > 0);
		(*iterations)++;
	}
}
