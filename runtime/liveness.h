/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether every task still counts. */
#ifndef OPSCALE_LIVENESS_H
#define OPSCALE_LIVENESS_H

#include <stdbool.h>
#include <stdint.h>

#include "counters.h"

struct liveness {
	unsigned long tasks;
	double load;			/* tasks per CPU that they share, at least 1 */
	struct watched {
		uint64_t count;		/* when last seen */
		uint64_t counted;	/* operations since the gate opened */
		int64_t active;		/* time in which it did count, ns */
		int64_t silent;		/* time since it last did, ns */
	} *watched;
	int64_t checked;		/* time of the last look */
};

/* Ends the program where memory is out. */
struct liveness liveness_begin(unsigned long tasks, double load);
void liveness_free(struct liveness *liveness);

/*
 * Takes a look; returns a task that has stopped counting, -1: none. One has when it was silent for
 * 2 s, or for 100 times the time that an operation has taken it so far if that is more, but at most
 * 10 s; all times the load. Time in which the whole machine stood still is not held against a task.
 */
long liveness_check(struct liveness *liveness, const struct snapshot *snapshot);

/* The tasks run from now on: they had not begun before, or were halted. */
void liveness_resume(struct liveness *liveness, int64_t now);

/* The longest that an operation takes a task on average, ns; of tasks that have counted. */
double liveness_operation(const struct liveness *liveness);

/* Whether every task has counted at least once. */
bool liveness_begun(const struct liveness *liveness);

/* A task that may have stopped: it was silent for 0.2 s and 100 operations' time. -1: none. */
long liveness_suspect(const struct liveness *liveness);

/* Seconds that a task has been silent for, and its operations before. */
double liveness_silence(const struct liveness *liveness, unsigned long task);
uint64_t liveness_counted(const struct liveness *liveness, unsigned long task);

#endif
