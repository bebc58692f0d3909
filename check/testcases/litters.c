/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "testcase.h"

char *testcase_description = "leaves files and folders in its scratch directory";

void testcase_prepare(unsigned long nr_tasks)
{
	scratch_directory("folder");
	scratch_directory("folder/inner");
	for (int i = 0; i < 200; i++)
		scratch_shared_file(1, "folder/inner/%d", i);
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	scratch_shared_file(4096, "folder/of-task-%lu", nr);
	while (1) {
		__asm__ volatile ("" : : : "memory");
		(*iterations)++;
	}
}
