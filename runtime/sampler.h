/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes the samples of a run: warm-up, once all tasks have begun, then measurement, which is at one
 * stretch or in turns with another program.
 */
#ifndef OPSCALE_SAMPLER_H
#define OPSCALE_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

#include "options.h"
#include "tasks.h"
#include "team.h"
#include "window.h"

/* Operations of all tasks between two readings. Times are in ns from the opening of the gate. */
struct sample {
	bool measure;			/* false: warm-up */
	int64_t start, end;
	const uint64_t *counts;		/* one per task */
};

struct totals {
	uint64_t total, least, greatest;	/* of the counts */
};
struct totals sample_totals(const struct sample *sample, unsigned long tasks);

/* Operations per second. */
double sample_rate(const struct sample *sample, uint64_t operations);

/* What the measurement's samples add up to. */
struct measurement {
	unsigned long samples;
	uint64_t operations;
	int64_t elapsed;		/* ns; of all samples, which need not adjoin */
	double mean, squares;		/* of the samples' rates; squared deviations, summed up */
	double least, greatest;		/* of the samples' rates */
};

double measurement_rate(const struct measurement *measurement);

/*
 * Of the samples' total rates, in percent of their mean; negative where one sample has no spread.
 */
double measurement_spread(const struct measurement *measurement);

/*
 * From the opening of the gate to the last sample. False, with a verdict in run->shared, where it
 * did not come to its proper end. load: tasks, and their partners, per CPU.
 */
bool sampler_run(const struct options *options, const struct run *run, struct team *team,
		 double load, struct window *window, struct measurement *measurement);

#endif
