/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of perf events: what perf_event_open(2) has to be asked for. */
#ifndef OPSCALE_EVENT_H
#define OPSCALE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

/* As the fields of struct perf_event_attr. */
struct event {
	uint32_t type;
	uint64_t config, config1, config2;
};

/* The events that the name "default" in a list stands for, separated by commas. */
extern const char event_defaults[];

/*
 * Fills in the event of a name: perf's names of software, hardware and cache events, rHEX for a raw
 * one, and where this was built with libpfm4 all that it knows. NULL, or why there is no such event.
 */
const char *event_find(const char *name, struct event *event);

/* Whether the event can happen in user and in kernel mode, and the kernel tells which. */
bool event_splits(const struct event *event);

/* Whether it is a clock, in nanoseconds: the mode does not matter to it. */
bool event_is_clock(const struct event *event);

#endif
