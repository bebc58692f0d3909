/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is observed of the measurement beside the tasks' counters: it begins just before and ends
 * just after.
 */
#ifndef OPSCALE_WINDOW_H
#define OPSCALE_WINDOW_H

#include <stdio.h>

#include "events.h"
#include "observed.h"
#include "options.h"
#include "tasks.h"
#include "ticks.h"

struct window {
	const struct run *run;
	struct observed *observed;
	struct events *events;
	int recorder;
	struct ticks ticks;		/* of the measurement, once it is closed */
};

/* To be called when all tasks wait at the gate. */
struct window window_prepare(const struct options *options, const struct run *run);

void window_open(struct window *window);
void window_close(struct window *window);

/* Its records of the samples file. */
void window_write(const struct window *window, FILE *to);
void window_free(struct window *window);

#endif
