/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts perf events of each task, and of whatever it makes, over the measurement. The parent does
 * it: a task has nothing to do with it.
 */
#ifndef OPSCALE_EVENTS_H
#define OPSCALE_EVENTS_H

#include <stdio.h>

#include "tasks.h"

struct events;

/* How many descriptors each task needs at most for a list; NULL: none. */
unsigned int events_files(const char *list);

/*
 * Opens the events of a list, separated by commas, for all tasks, which wait at the gate. An event
 * that can split is counted in user and in kernel mode, unless its name ends with :u or :k. What
 * cannot be counted is told on standard error. NULL without a list.
 */
struct events *events_open(const char *list, const struct run *run);

/* From here to there it is counted. Both do nothing for NULL. */
void events_begin(struct events *events);
void events_end(struct events *events);

/* Their records of the samples file; docs/formats.md, section 2. Nothing for NULL. */
void events_write(const struct events *events, FILE *to);
void events_close(struct events *events);

#endif
