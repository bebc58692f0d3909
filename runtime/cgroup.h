/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits that control groups put on this process. */
#ifndef OPSCALE_CGROUP_H
#define OPSCALE_CGROUP_H

/*
 * The tightest limit in this process's group and those above it, of either version of control
 * groups; infinite where there is none. controller: as version 1 names it; the files: as version 1
 * and 2 name the limit.
 */
double cgroup_limit(const char *controller, const char *file_v1, const char *file_v2);

#endif
