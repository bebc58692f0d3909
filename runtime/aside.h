/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the parent where it disturbs the tasks least, and in every launch alike: what it takes to
 * wake up and read the counters would else be taken from a task or not, as the scheduler happens to
 * put it.
 */
#ifndef OPSCALE_ASIDE_H
#define OPSCALE_ASIDE_H

#include <stdbool.h>

#include "tasks.h"

/*
 * Binds the calling thread to a core without a task, else to a CPU without one, else to the last
 * task's; or back to where it was. Children inherit it: none may be made in between. Where tasks
 * are not bound, or the system refuses, it does nothing.
 */
void aside(const struct run *run, bool on);

#endif
