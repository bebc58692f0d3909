/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description =
	"membarrier PRIVATE_EXPEDITED: a barrier on every CPU that runs the process";

static long membarrier(int command)
{
	return syscall(SYS_membarrier, command, 0, 0);
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	if (membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED))
		testcase_skip("membarrier: %m");

	while (1) {
		CHECK(membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0);
		(*iterations)++;
	}
}
