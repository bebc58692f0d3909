/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Written as the oldest testcases for will-it-scale are: one parameter, and a prepare without any.
 */
#include <unistd.h>

char *testcase_description = "Foreign source, one parameter";

static int prepared;

void testcase_prepare(void)
{
	prepared = 1;
}

void testcase(unsigned long long *iterations)
{
	while (prepared) {
		getppid();
		(*iterations)++;
	}
}
