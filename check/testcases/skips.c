/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "testcase.h"

char *testcase_description = "skips";

const struct testcase_option testcase_options[] = { { "where", "prepare", "prepare or task" },
						    { 0 } };

void testcase_prepare(unsigned long nr_tasks)
{
	if (!strcmp(option_text("where"), "prepare"))
		testcase_skip("this machine has no %s", "flux capacitor");
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	testcase_skip("task %lu finds no %s", nr, "flux capacitor");
}
