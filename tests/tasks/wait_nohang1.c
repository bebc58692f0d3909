/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "waitpid with WNOHANG for an own child that goes on sleeping";

const struct testcase_needs testcase_needs = { .partners = 1 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	pid_t maker = getpid(), child = fork();
	int status;

	CHECK(child >= 0);
	if (!child) {
		CHECK(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
		/* The maker may have died before it could be heard of. */
		while (getppid() == maker)
			pause();
		_exit(0);
	}

	while (1) {
		CHECK(waitpid(child, &status, WNOHANG) == 0);
		(*iterations)++;
	}
}
