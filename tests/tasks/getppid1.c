/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <unistd.h>

#include "testcase.h"

char *testcase_description =
	"getppid: the shortest system call that the C library does not answer itself";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	while (1) {
		getppid();
		(*iterations)++;
	}
}
