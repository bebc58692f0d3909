/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files in which the system tells of itself, as /proc/vmstat: their texts just before and just after
 * the measurement. Who reads the samples file makes sense of them.
 */
#ifndef OPSCALE_OBSERVED_H
#define OPSCALE_OBSERVED_H

#include <stdio.h>

enum observed_when { OBSERVED_BEFORE, OBSERVED_AFTER, NR_OBSERVED };

struct observed;

/* One more path for the list, of which the first is given NULL; it is not copied. */
struct observed *observed_add(struct observed *list, const char *path);

/* Reads all files of the list. */
void observed_read(struct observed *list, enum observed_when when);

/* The records of the samples file; docs/formats.md, section 2. */
void observed_write(const struct observed *list, FILE *to);
void observed_free(struct observed *list);

#endif
