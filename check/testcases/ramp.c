/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <time.h>

#include "testcase.h"

char *testcase_description =
	"a rate that rises to a million operations a second, with a time constant of its own";

const struct testcase_option testcase_options[] = {
	{ "milliseconds", "200", "time constant: after three of them 5 % are missing" }, { 0 }
};

/* Integral of 1e6 * (1 - exp(-t / tau)). */
void testcase(unsigned long long *iterations, unsigned long nr)
{
	double tau = option_number("milliseconds") / 1000.0;
	struct timespec start, now;

	CHECK(clock_gettime(CLOCK_MONOTONIC, &start) == 0);
	while (1) {
		double passed;

		CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
		passed = now.tv_sec - start.tv_sec + (now.tv_nsec - start.tv_nsec) / 1e9;
		*(volatile unsigned long long *)iterations =
			1e6 * (passed - tau * (1 - exp(-passed / tau)));
	}
}
