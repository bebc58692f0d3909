/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "getpid, by system call";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	while (1) {
		syscall(SYS_getpid);
		(*iterations)++;
	}
}
