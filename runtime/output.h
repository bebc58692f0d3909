/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a program prints on standard output; docs/formats.md, section 1. */
#ifndef OPSCALE_OUTPUT_H
#define OPSCALE_OUTPUT_H

#include <stdbool.h>

#include "sampler.h"
#include "topology.h"

/* Each line leaves at once, into a pipe too. */
void output_begin(void);

/* These are false, with a verdict, where standard output takes no more. */
bool output_line(struct shared *shared, const char *line);
bool output_sample(const struct run *run, const struct sample *sample, const struct totals *totals,
		   bool verbose);
bool output_result(const struct run *run, const struct measurement *measurement);

/*
 * Each is all that the program does: they end it with status 0, or 1 where standard output takes no
 * more.
 */
void output_placement(hwloc_topology_t topology, const struct placement *placement,
		      unsigned long tasks) __attribute__((noreturn));
void output_description(void) __attribute__((noreturn));
void output_version(void) __attribute__((noreturn));

#endif
