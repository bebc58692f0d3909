/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "write 8 bytes to an own eventfd and read them back";

const struct testcase_needs testcase_needs = { .files = 1 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	uint64_t added = 1, count;
	int file = eventfd(0, 0);

	CHECK(file >= 0);
	while (1) {
		CHECK(write(file, &added, sizeof(added)) == sizeof(added));
		CHECK(read(file, &count, sizeof(count)) == sizeof(count));
		(*iterations)++;
	}
}
