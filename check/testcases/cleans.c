/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "has a testcase_cleanup that tells that it runs, and may come to a bad end";

const struct testcase_option testcase_options[] = {
	{ "how", "well", "how the cleanup ends: well, segv, check, exit0 or block" },
	{ "after", "18446744073709551615", "operations before the loop returns" },
	{ 0 }
};

void testcase(unsigned long long *iterations, unsigned long nr)
{
	unsigned long long after = option_number("after");

	while (*iterations < after) {
		__asm__ volatile ("" : : : "memory");
		(*iterations)++;
	}
}

void testcase_cleanup(void)
{
	const char *how = option_text("how");

	fprintf(stderr, "cleaning up\n");
	if (!strcmp(how, "segv"))
		raise(SIGSEGV);
	else if (!strcmp(how, "check"))
		CHECK(close(-1) == 0);
	else if (!strcmp(how, "exit0"))
		exit(0);
	else if (!strcmp(how, "block"))
		pause();
}
