/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "getrandom of 16 bytes, by system call";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	char bytes[16];

	while (1) {
		CHECK(syscall(SYS_getrandom, bytes, sizeof(bytes), 0) == sizeof(bytes));
		(*iterations)++;
	}
}
