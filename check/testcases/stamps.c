/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <stdio.h>
#include <time.h>

#include "testcase.h"

char *testcase_description = "one reading of CLOCK_MONOTONIC; writes down when it was let run";

const struct testcase_option testcase_options[] = {
	{ "into", "/dev/null", "file that gets a line for each stretch of time: start and end, ns" },
	{ 0 }
};

/* A task that was not let run for so long, ns, was halted, or lost its CPU. */
#define GAP 2000000

static long long now(void)
{
	struct timespec time;

	CHECK(clock_gettime(CLOCK_MONOTONIC, &time) == 0);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	int file = open(option_text("into"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	long long start = now(), last = start, time;

	CHECK(file >= 0);
	while (1) {
		time = now();
		if (time - last > GAP) {
			CHECK(dprintf(file, "%lld %lld\n", start, last) > 0);
			start = time;
		}
		last = time;
		(*iterations)++;
	}
}
