/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <err.h>
#include <math.h>
#include <stdlib.h>

#include "liveness.h"
#include "options.h"

#define SEC 1e9

struct liveness liveness_begin(unsigned long tasks, double load)
{
	struct liveness liveness = {
		.tasks = tasks,
		.load = load < 1 ? 1 : load,
		.watched = calloc(tasks, sizeof(*liveness.watched)),
	};

	if (!liveness.watched)
		err(STATUS_FAILED, "cannot watch %lu tasks", tasks);
	return liveness;
}

void liveness_free(struct liveness *liveness)
{
	free(liveness->watched);
	liveness->watched = NULL;
}

/* Operations, that a task is given the time of before it is thought to have stopped. */
#define PATIENCE 100

/* In nanoseconds; endless where there was no operation yet. */
static double patience(const struct watched *watched)
{
	return watched->counted ? (double)PATIENCE * watched->active / watched->counted : 1e300;
}

static double clamp(double value, double least, double most)
{
	return value < least ? least : value > most ? most : value;
}

long liveness_check(struct liveness *liveness, const struct snapshot *snapshot)
{
	int64_t passed = snapshot->time - liveness->checked;
	/*
	 * A virtual machine that was not scheduled sees one long step of time, in which no task
	 * could count.
	 */
	int64_t held = clamp(passed, 0, 2 * SEC);
	long stopped = -1;

	liveness->checked = snapshot->time;
	for (unsigned long task = 0; task < liveness->tasks; task++) {
		struct watched *watched = &liveness->watched[task];

		if (snapshot->counts[task] != watched->count) {
			watched->counted += snapshot->counts[task] - watched->count;
			watched->count = snapshot->counts[task];
			watched->active += watched->silent + passed;
			watched->silent = 0;
			continue;
		}
		watched->silent += held;
		if (watched->silent > clamp(patience(watched), 2 * SEC, 10 * SEC) * liveness->load)
			stopped = task;
	}
	return stopped;
}

void liveness_resume(struct liveness *liveness, int64_t now)
{
	liveness->checked = now;
}

double liveness_operation(const struct liveness *liveness)
{
	double longest = 0;

	for (unsigned long task = 0; task < liveness->tasks; task++)
		longest = fmax(longest, patience(&liveness->watched[task]) / PATIENCE);
	return longest;
}

bool liveness_begun(const struct liveness *liveness)
{
	for (unsigned long task = 0; task < liveness->tasks; task++)
		if (!liveness->watched[task].counted)
			return false;
	return true;
}

long liveness_suspect(const struct liveness *liveness)
{
	for (unsigned long task = 0; task < liveness->tasks; task++) {
		const struct watched *watched = &liveness->watched[task];

		if (watched->counted && watched->silent >= 0.2 * SEC * liveness->load &&
		    watched->silent > patience(watched) * liveness->load)
			return task;
	}
	return -1;
}

double liveness_silence(const struct liveness *liveness, unsigned long task)
{
	return liveness->watched[task].silent / SEC;
}

uint64_t liveness_counted(const struct liveness *liveness, unsigned long task)
{
	return liveness->watched[task].counted;
}
