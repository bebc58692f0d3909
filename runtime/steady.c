/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>

#include "steady.h"

/* The rates in the order in which they came, from 0; the oldest one is where the next will go. */
static double rate_at(const struct steady *steady, unsigned int i)
{
	return steady->rates[(steady->seen + i) % (2 * STEADY_HALF)];
}

bool steady_settled(struct steady *steady, double rate)
{
	double older = 0, newer = 0, squares = 0, variance;

	steady->rates[steady->seen++ % (2 * STEADY_HALF)] = rate;
	if (steady->seen < 2 * STEADY_HALF)
		return false;
	for (unsigned int i = 0; i < STEADY_HALF; i++) {
		older += rate_at(steady, i) / STEADY_HALF;
		newer += rate_at(steady, STEADY_HALF + i) / STEADY_HALF;
	}
	/* From successive differences (von Neumann): a trend must not pass for noise. */
	for (unsigned int i = 1; i < 2 * STEADY_HALF; i++)
		squares += pow(rate_at(steady, i) - rate_at(steady, i - 1), 2);
	variance = squares / (2 * (2 * STEADY_HALF - 1));
	return newer > 0 &&
	       fabs(newer - older) <= fmax(0.005 * newer, sqrt(2 * variance / STEADY_HALF));
}
