/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of a testcase's program. */
#ifndef OPSCALE_OPTIONS_H
#define OPSCALE_OPTIONS_H

#include <stdbool.h>

#include "observed.h"
#include "placement.h"
#include "turns.h"

/* Exit statuses; docs/formats.md. */
enum { STATUS_FAILED = 1, STATUS_USAGE = 2, STATUS_SKIPPED = 77 };

enum action { ACTION_RUN, ACTION_SHOW_PLACEMENT, ACTION_DESCRIBE, ACTION_VERSION };

struct options {
	enum action action;
	unsigned long tasks;
	double seconds;			/* of measurement; 0: until interrupted */
	unsigned long operations;	/* that end the measurement before; 0: none do */
	double interval;		/* seconds between samples */
	double warmup;			/* seconds; unused where warmup_auto is set */
	bool warmup_auto;
	bool verbose;
	enum policy policy;
	const char *cpus;		/* NULL: all that are online and allowed */
	const char *dir;		/* NULL: the default of scratch.h */
	const char *samples;		/* NULL: no samples file */
	struct turns turns;		/* with another program */
	const char *events;		/* to count, separated by commas; NULL: none */
	struct observed *observed;	/* files to read before and after */
	int recorder;			/* socket to a recorder; -1: none */
};

/* Parses the command line. Wrong usage, and --help, end the program. */
struct options options_parse(int argc, char **argv);

/* One line on standard error, then the exit status of wrong usage. */
void usage_error(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif
