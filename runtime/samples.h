/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The samples file; docs/formats.md, section 2. */
#ifndef OPSCALE_SAMPLES_H
#define OPSCALE_SAMPLES_H

#include <stdint.h>

#include "sampler.h"
#include "window.h"

/*
 * Opens the file; one that cannot be written is wrong usage and ends the program. NULL: none is
 * asked for.
 */
void samples_open(const char *path);

/* What is known before the first task is made. */
void samples_header(const struct run *run, const char *description);

/* From the making of the first task to the opening of the gate, in ns. */
void samples_start(int64_t duration);

/* The last record where a hook of the testcase has crashed or hung. Async-signal-safe. */
void samples_abandon(const char *end);

/* Keeps a sample; nothing is written while tasks run. */
void samples_add(const struct sample *sample);

/*
 * Writes and closes the file; window only of a complete measurement, else NULL. False where it
 * could not be written.
 */
bool samples_end(const struct window *window, enum verdict verdict, const char *reason);

#endif
