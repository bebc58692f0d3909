/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <signal.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "kill of the own process with signal 0: may it be signalled";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	pid_t self = getpid();

	while (1) {
		CHECK(kill(self, 0) == 0);
		(*iterations)++;
	}
}
