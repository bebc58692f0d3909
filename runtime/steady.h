/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a warm-up may end: the rate has settled. */
#ifndef OPSCALE_STEADY_H
#define OPSCALE_STEADY_H

#include <stdbool.h>

/*
 * Seconds between the samples that steady_settled() is meant for, and after which a warm-up ends
 * unsettled.
 */
#define STEADY_INTERVAL 0.025
#define STEADY_LIMIT 5.0

enum { STEADY_MOST = (int)(STEADY_LIMIT / STEADY_INTERVAL) };

struct steady {
	double rates[STEADY_MOST];
	unsigned int seen;
};

/*
 * Takes the next sample's rate; true once the mean of the latest third of all, but at least of 8,
 * differs from that of as many before by no more than a standard error of the difference, or 0.5 %.
 * Noise alone cannot hold it up, and a trend that the noise hides is smaller than what the
 * measurement itself can resolve. The third grows with what was waited: a slow rise is compared over
 * a time in which it shows.
 */
bool steady_settled(struct steady *steady, double rate);

#endif
