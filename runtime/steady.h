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

enum { STEADY_HALF = 8 };

struct steady {
	double rates[2 * STEADY_HALF];	/* the latest ones, as a ring */
	unsigned long seen;
};

/*
 * Takes the next sample's rate; true once the mean of the latest 8 differs from that of the 8
 * before by no more than a standard error of the difference, or 0.5 %. Noise alone cannot hold
 * it up, and a trend that the noise hides is smaller than what the measurement itself can resolve.
 */
bool steady_settled(struct steady *steady, double rate);

#endif
