/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters.h"
#include "liveness.h"
#include "output.h"
#include "sampler.h"
#include "samples.h"
#include "steady.h"
#include "watch.h"

#define SEC 1e9

/* Between two samples the tasks are looked at this often, for one that has stopped counting. */
#define LOOK_INTERVAL 0.1

/*
 * In turns with another program: a slice is so many seconds for each task that shares a CPU, and so
 * many operations, long at least. There are at least so many, and of each turn this part passes
 * uncounted: caches are filled again.
 */
#define SLICE 0.01
#define SLICE_OPERATIONS 20
#define LEAST_SLICES 4
#define SLICE_LEAD 0.2

struct sampler {
	const struct options *options;
	const struct run *run;
	struct team *team;
	struct liveness liveness;
	struct turns turns;
	struct window *window;
	int64_t gate;			/* when it opened */
	struct snapshot before, now;
	uint64_t *counts;		/* the latest sample's */
};

struct totals sample_totals(const struct sample *sample, unsigned long tasks)
{
	struct totals totals = { .least = UINT64_MAX };

	for (unsigned long task = 0; task < tasks; task++) {
		totals.total += sample->counts[task];
		if (sample->counts[task] < totals.least)
			totals.least = sample->counts[task];
		if (sample->counts[task] > totals.greatest)
			totals.greatest = sample->counts[task];
	}
	return totals;
}

double sample_rate(const struct sample *sample, uint64_t operations)
{
	return operations * SEC / (sample->end - sample->start);
}

double measurement_rate(const struct measurement *measurement)
{
	return measurement->operations * SEC / measurement->elapsed;
}

double measurement_spread(const struct measurement *measurement)
{
	if (measurement->samples < 2)
		return -1;
	return 100 * sqrt(measurement->squares / (measurement->samples - 1)) / measurement->mean;
}

/* Welford's update of mean and squared deviations. */
static void measurement_add(struct measurement *measurement, const struct sample *sample,
			    uint64_t total)
{
	double rate = sample_rate(sample, total);
	double from_mean = rate - measurement->mean;

	if (!measurement->samples++)
		measurement->least = measurement->greatest = rate;
	measurement->operations += total;
	measurement->elapsed += sample->end - sample->start;
	measurement->mean += from_mean / measurement->samples;
	measurement->squares += from_mean * (rate - measurement->mean);
	measurement->least = fmin(measurement->least, rate);
	measurement->greatest = fmax(measurement->greatest, rate);
}

static bool fail_silent(const struct sampler *sampler, long task)
{
	uint64_t counted = liveness_counted(&sampler->liveness, task);

	shared_verdict(sampler->run->shared, VERDICT_FAILED,
		       "task %ld %s%llu operations, none in the last %.1f s", task,
		       counted ? "stopped counting after " : "counted ",
		       (unsigned long long)counted, liveness_silence(&sampler->liveness, task));
	return false;
}

/* Sleeps until the time, awake for deaths, signals and silence; then reads the counters. */
static bool wait_and_read(struct sampler *sampler, int64_t until)
{
	int64_t now;

	do {
		int64_t look = watch_now() + (int64_t)(LOOK_INTERVAL * SEC);

		watch_wait(look < until ? look : until);
		if (!team_alive(sampler->run, sampler->team))
			return false;
		now = watch_now();
		if (now >= until || now >= look) {
			long stopped;

			snapshot_take(&sampler->now, sampler->run->counters, sampler->run->tasks);
			stopped = liveness_check(&sampler->liveness, &sampler->now);
			if (stopped >= 0)
				return fail_silent(sampler, stopped);
		}
	} while (now < until);
	return true;
}

/*
 * Waits until every task has counted. Before that, it may still set itself up, give up, or wait for
 * its first turn on a CPU that many share: what is measured then is not the loop, or not all tasks.
 */
static bool wait_for_all(struct sampler *sampler)
{
	double look = WATCH_FIRST_LOOK;

	while (!liveness_begun(&sampler->liveness)) {
		if (!wait_and_read(sampler, watch_now() + (int64_t)look))
			return false;
		look = fmin(2 * look, LOOK_INTERVAL * SEC);
	}
	snapshot_take(&sampler->before, sampler->run->counters, sampler->run->tasks);
	return true;
}

/* The latest reading becomes the one that the next sample begins with. */
static void begin_sample(struct sampler *sampler)
{
	struct snapshot swap = sampler->before;

	sampler->before = sampler->now;
	sampler->now = swap;
}

/*
 * One sample, from the last one's end to the given time; a late one is as right as any other, only
 * longer.
 */
static bool take_sample(struct sampler *sampler, bool measure, int64_t until, struct sample *sample,
			struct totals *totals)
{
	if (!wait_and_read(sampler, until))
		return false;
	for (unsigned long task = 0; task < sampler->run->tasks; task++)
		sampler->counts[task] = sampler->now.counts[task] - sampler->before.counts[task];
	*sample = (struct sample) {
		.measure = measure,
		.start = sampler->before.time - sampler->gate,
		.end = sampler->now.time - sampler->gate,
		.counts = sampler->counts,
	};
	*totals = sample_totals(sample, sampler->run->tasks);
	begin_sample(sampler);
	samples_add(sample);
	return output_sample(sampler->run, sample, totals, sampler->options->verbose);
}

/*
 * Samples for so long, in ns, the last one cut to fit; endless for 0 when measuring. Their number
 * does not depend on how late one came: readers rely on it; but a measurement of so many operations
 * ends with the sample that has brought them. measurement: NULL while warming up.
 */
static bool sample_for(struct sampler *sampler, int64_t left, struct measurement *measurement)
{
	int64_t interval = sampler->options->interval * SEC;
	bool endless = measurement && !left;

	while (endless || left > 0) {
		/* No last sample of a few nanoseconds, from rounding. */
		int64_t length = !endless && left < interval + interval / 100 ? left : interval;
		struct sample sample;
		struct totals totals;

		if (!take_sample(sampler, measurement, sampler->before.time + length, &sample,
				 &totals))
			return false;
		if (measurement) {
			measurement_add(measurement, &sample, totals.total);
			if (sampler->options->operations &&
			    measurement->operations >= sampler->options->operations)
				return true;
		}
		left -= length;
	}
	return true;
}

static bool sample_until_steady(struct sampler *sampler)
{
	int64_t limit = sampler->before.time - sampler->gate + (int64_t)(STEADY_LIMIT * SEC);
	struct steady steady = { .seen = 0 };
	struct sample sample;
	struct totals totals;

	do {
		int64_t until = sampler->before.time + (int64_t)(STEADY_INTERVAL * SEC);

		if (!take_sample(sampler, false, until, &sample, &totals))
			return false;
	} while (!steady_settled(&steady, sample_rate(&sample, totals.total)) &&
		 sample.end < limit);
	return true;
}

/* The tasks stand still from now on; true once they do. */
static bool halt(struct sampler *sampler)
{
	if (!team_halt(sampler->run, sampler->team))
		return false;
	snapshot_take(&sampler->before, sampler->run->counters, sampler->run->tasks);
	return true;
}

static bool stood_still(struct sampler *sampler)
{
	snapshot_take(&sampler->now, sampler->run->counters, sampler->run->tasks);
	for (unsigned long task = 0; task < sampler->run->tasks; task++) {
		uint64_t counted = sampler->now.counts[task] - sampler->before.counts[task];

		if (counted) {
			shared_verdict(sampler->run->shared, VERDICT_FAILED,
				       "task %lu counted %llu operations while it was halted", task,
				       (unsigned long long)counted);
			return false;
		}
	}
	return true;
}

/* From halt to halt, so many slices, counted as one sample. */
static bool take_turn(struct sampler *sampler, unsigned long slices,
		      struct measurement *measurement)
{
	int64_t length = slices * sampler->turns.slice, start;
	struct sample sample;
	struct totals totals;

	if (!turns_await(&sampler->turns, sampler->run, sampler->team) || !stood_still(sampler))
		return false;
	start = watch_now();
	liveness_resume(&sampler->liveness, start);
	team_continue(sampler->team);
	if (!wait_and_read(sampler, start + (int64_t)(SLICE_LEAD * sampler->turns.slice)))
		return false;
	begin_sample(sampler);
	if (!take_sample(sampler, true, start + length, &sample, &totals))
		return false;
	measurement_add(measurement, &sample, totals.total);
	return halt(sampler) && turns_pass(&sampler->turns, sampler->run);
}

static bool sample_in_turns(struct sampler *sampler, struct measurement *measurement)
{
	unsigned long slices = sampler->options->seconds * SEC / sampler->turns.slice;
	unsigned long now;

	/* As many slices on either side, in pairs. */
	slices = slices < LEAST_SLICES ? LEAST_SLICES : slices / 2 * 2;
	for (unsigned long turn = 0;
	     (now = turns_slices(&sampler->turns, turn, slices)); turn++)
		if (!take_turn(sampler, now, measurement))
			return false;
	/* The first program has the last turn; only then may this one do anything again. */
	if (sampler->turns.role == TURNS_SECOND &&
	    !turns_await(&sampler->turns, sampler->run, sampler->team))
		return false;
	if (!stood_still(sampler))
		return false;
	liveness_resume(&sampler->liveness, watch_now());
	team_continue(sampler->team);
	return true;
}

/* Both programs' tasks wait at their gates before the first program opens its own. */
static bool await_first_turn(struct sampler *sampler)
{
	if (sampler->turns.role == TURNS_SECOND && !turns_pass(&sampler->turns, sampler->run))
		return false;
	return turns_await(&sampler->turns, sampler->run, sampler->team);
}

/* After the warm-up, which each program has alone. */
static bool hand_over(struct sampler *sampler)
{
	double least = fmax(SLICE * SEC * sampler->liveness.load,
			    SLICE_OPERATIONS * liveness_operation(&sampler->liveness));

	sampler->turns.slice = fmax(sampler->turns.slice, least);
	return halt(sampler) && turns_pass(&sampler->turns, sampler->run);
}

/*
 * A task that is alone on its CPU and counts nothing has no rate; where many share one, its turn
 * may not have come.
 */
static bool all_counted(const struct sampler *sampler, const uint64_t *at_start)
{
	const uint64_t *at_end = sampler->before.counts;
	bool any = false;

	for (unsigned long task = 0; task < sampler->run->tasks; task++) {
		if (at_end[task] != at_start[task]) {
			any = true;
		} else if (sampler->liveness.load <= 1) {
			shared_verdict(sampler->run->shared, VERDICT_FAILED,
				       "task %lu counted nothing during the measurement "
				       "(%llu operations before it): it got no CPU, or an operation "
				       "takes longer",
				       task, (unsigned long long)at_start[task]);
			return false;
		}
	}
	if (!any)
		shared_verdict(sampler->run->shared, VERDICT_FAILED,
			       "no task counted anything during the measurement");
	return any;
}

/*
 * A task that was silent at the end of a short run may have stopped, or be kept from its CPU by
 * something else: what follows the measurement tells.
 */
static bool none_has_stopped(struct sampler *sampler)
{
	while (liveness_suspect(&sampler->liveness) >= 0)
		if (!wait_and_read(sampler, watch_now() + (int64_t)(STEADY_INTERVAL * SEC)))
			return false;
	return true;
}

static bool measure(struct sampler *sampler, struct measurement *measurement)
{
	struct snapshot start = snapshot_make(sampler->run->tasks);
	bool valid;

	window_open(sampler->window);
	snapshot_take(&sampler->before, sampler->run->counters, sampler->run->tasks);
	memcpy(start.counts, sampler->before.counts, sampler->run->tasks * sizeof(*start.counts));
	if (sampler->turns.role == TURNS_NONE)
		valid = sample_for(sampler, sampler->options->seconds * SEC, measurement);
	else
		valid = sample_in_turns(sampler, measurement);
	window_close(sampler->window);

	valid = valid && none_has_stopped(sampler) && all_counted(sampler, start.counts);
	snapshot_free(&start);
	return valid;
}

/* From the opening of the gate until the measurement can begin. */
static bool warm_up(struct sampler *sampler)
{
	const struct options *options = sampler->options;

	sampler->gate = watch_now();
	liveness_resume(&sampler->liveness, sampler->gate);
	shared_open_gate(sampler->run->shared);
	if (!output_line(sampler->run->shared, "warmup") || !wait_for_all(sampler))
		return false;
	if (options->warmup_auto)
		return sample_until_steady(sampler);
	return sample_for(sampler, options->warmup * SEC, NULL);
}

bool sampler_run(const struct options *options, const struct run *run, struct team *team,
		 double load, struct window *window, struct measurement *measurement)
{
	struct sampler sampler = {
		.options = options,
		.run = run,
		.team = team,
		.liveness = liveness_begin(run->tasks, load),
		.turns = options->turns,
		.window = window,
		.before = snapshot_make(run->tasks),
		.now = snapshot_make(run->tasks),
		.counts = calloc(run->tasks, sizeof(*sampler.counts)),
	};
	bool alone = options->turns.role == TURNS_NONE;
	bool valid;

	if (!sampler.counts)
		err(STATUS_FAILED, "cannot hold the counts of %lu tasks", run->tasks);
	*measurement = (struct measurement) { .samples = 0 };
	valid = (alone || await_first_turn(&sampler)) && warm_up(&sampler) &&
		(alone || hand_over(&sampler)) && output_line(run->shared, "measurement") &&
		measure(&sampler, measurement);

	liveness_free(&sampler.liveness);
	free(sampler.counts);
	snapshot_free(&sampler.before);
	snapshot_free(&sampler.now);
	return valid;
}
