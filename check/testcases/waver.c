/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <time.h>
#include <unistd.h>

#include "testcase.h"

#define SLOT 0.005

char *testcase_description = "a rate that rises to a million operations a second and wavers";

const struct testcase_option testcase_options[] = {
	{ "milliseconds", "300", "time constant of the rise" },
	{ "percent", "7", "standard deviation of the rate in each 5 ms" },
	{ 0 }
};

/* Integral of 1e6 * (1 - exp(-t / tau)). */
static double risen(double passed, double tau)
{
	return 1e6 * (passed - tau * (1 - exp(-passed / tau)));
}

/* Evenly from -1 to 1; Knuth's constants for a linear congruential generator. */
static double draw(unsigned long long *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (*state >> 11) * 0x1p-52 - 1;
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	double tau = option_number("milliseconds") / 1000.0;
	double deviation = option_number("percent") / 100.0;
	double slot = 0, counted = 0, factor = 1;
	unsigned long long state = getpid() + nr;
	struct timespec start, now;

	CHECK(clock_gettime(CLOCK_MONOTONIC, &start) == 0);
	while (1) {
		double passed;

		CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
		passed = now.tv_sec - start.tv_sec + (now.tv_nsec - start.tv_nsec) / 1e9;
		while (slot + SLOT <= passed) {
			counted += factor * (risen(slot + SLOT, tau) - risen(slot, tau));
			slot += SLOT;
			factor = 1 + sqrt(3) * deviation * draw(&state);
		}
		*(volatile unsigned long long *)iterations =
			counted + factor * (risen(passed, tau) - risen(slot, tau));
	}
}
