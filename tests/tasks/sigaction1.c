/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <signal.h>

#include "testcase.h"

char *testcase_description = "sigaction: set a handler";

static void handler(int number)
{
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	struct sigaction action = { .sa_handler = handler };

	while (1) {
		CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
		(*iterations)++;
	}
}
