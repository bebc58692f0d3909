/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <signal.h>

#include "testcase.h"

char *testcase_description = "raise a signal that has an empty handler";

static void handler(int number)
{
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	struct sigaction action = { .sa_handler = handler };

	CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
	while (1) {
		CHECK(raise(SIGUSR1) == 0);
		(*iterations)++;
	}
}
