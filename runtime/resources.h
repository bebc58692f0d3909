/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether the machine lets so many tasks run. */
#ifndef OPSCALE_RESOURCES_H
#define OPSCALE_RESOURCES_H

#include "testcase.h"

/*
 * Raises the soft limit of open files to the hard one, then ends the program with status 77 where
 * descriptors, processes, memory or mappings are too few, naming the number needed. To be called
 * before anything is made per task. event_files: descriptors of the parent's, per task.
 */
void resources_check(unsigned long tasks, const struct testcase_needs *needs,
		     unsigned int event_files);

#endif
