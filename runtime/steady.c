/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>

#include "steady.h"

#define LEAST_PART 8

struct part {
	double mean;
	double variance;		/* of the mean */
};

/* From successive differences (von Neumann 1941): a trend must not pass for noise. */
static struct part part_of(const double *rates, unsigned int count)
{
	double sum = rates[0], squares = 0;

	for (unsigned int i = 1; i < count; i++) {
		sum += rates[i];
		squares += pow(rates[i] - rates[i - 1], 2);
	}
	return (struct part) {
		.mean = sum / count,
		.variance = squares / (2 * (count - 1)) / count,
	};
}

bool steady_settled(struct steady *steady, double rate)
{
	unsigned int count = LEAST_PART;
	struct part older, newer;

	steady->rates[steady->seen++] = rate;
	if (steady->seen == STEADY_MOST)
		return true;
	if (steady->seen / 3 > count)
		count = steady->seen / 3;
	if (steady->seen < 2 * count)
		return false;
	older = part_of(steady->rates + steady->seen - 2 * count, count);
	newer = part_of(steady->rates + steady->seen - count, count);
	return newer.mean > 0 &&
	       fabs(newer.mean - older.mean) <=
		       fmax(0.005 * newer.mean, sqrt(older.variance + newer.variance));
}
