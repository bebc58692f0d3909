/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>

#include "testcase.h"

char *testcase_description = "nothing; writes down what a file held when it was prepared";

const struct testcase_option testcase_options[] = {
	{ "from", "/dev/null", "the file" },
	{ "into", "/dev/null", "the file that its text is added to" },
	{ 0 }
};

void testcase_prepare(unsigned long nr_tasks)
{
	int from = open(option_text("from"), O_RDONLY), into;
	char text[256];
	ssize_t size;

	CHECK(from >= 0);
	into = open(option_text("into"), O_WRONLY | O_CREAT | O_APPEND, 0600);
	CHECK(into >= 0);
	size = read(from, text, sizeof(text));
	CHECK(size >= 0 && write(into, text, size) == size);
	CHECK(close(from) == 0 && close(into) == 0);
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	while (1) {
		__asm__ volatile("" : : : "memory");
		(*iterations)++;
	}
}
