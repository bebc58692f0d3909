/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>

#include "steady.h"

/*
 * Mean of one half of the ring, and the variance of that mean. The older half starts where the next
 * rate will go.
 */
static double half_mean(const struct steady *steady, unsigned int half, double *variance)
{
	double mean = 0, squares = 0;

	for (unsigned int i = 0; i < STEADY_HALF; i++)
		mean += steady->rates[(steady->seen + half * STEADY_HALF + i) % (2 * STEADY_HALF)] /
			STEADY_HALF;
	for (unsigned int i = 0; i < STEADY_HALF; i++) {
		double rate =
			steady->rates[(steady->seen + half * STEADY_HALF + i) % (2 * STEADY_HALF)];

		squares += (rate - mean) * (rate - mean);
	}
	*variance = squares / (STEADY_HALF - 1) / STEADY_HALF;
	return mean;
}

bool steady_settled(struct steady *steady, double rate)
{
	double older, newer, older_variance, newer_variance, difference;

	steady->rates[steady->seen++ % (2 * STEADY_HALF)] = rate;
	if (steady->seen < 2 * STEADY_HALF)
		return false;
	older = half_mean(steady, 0, &older_variance);
	newer = half_mean(steady, 1, &newer_variance);
	difference = fabs(newer - older);
	return newer > 0 &&
	       difference <= fmax(0.005 * newer, 2 * sqrt(older_variance + newer_variance));
}
