/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The iteration counters, and reading all of them together with the clock. */
#ifndef OPSCALE_COUNTERS_H
#define OPSCALE_COUNTERS_H

#include <hwloc.h>
#include <stdint.h>

#include "placement.h"

/*
 * One counter per task, 256 bytes apart from every other one, in shared anonymous memory on the
 * task's own NUMA node. No file lies behind it: write-back would write-protect the page, and the
 * hot store fault.
 */
unsigned long long **counters_make(hwloc_topology_t topology, const struct placement *placement,
				   unsigned long tasks);
void counters_free(unsigned long long **counters);

struct snapshot {
	int64_t time;			/* of watch_now(): the middle of the reading */
	uint64_t *counts;		/* one per task */
};

/* Room for the counts of so many tasks; ends the program where there is none. */
struct snapshot snapshot_make(unsigned long tasks);
void snapshot_free(struct snapshot *snapshot);

void snapshot_take(struct snapshot *snapshot, unsigned long long *const *counters,
		   unsigned long tasks);

#endif
