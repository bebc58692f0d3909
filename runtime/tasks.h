/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A task's side of a run, the same for processes and threads. */
#ifndef OPSCALE_TASKS_H
#define OPSCALE_TASKS_H

#include <hwloc.h>
#include <stdbool.h>
#include <sys/types.h>

#include "placement.h"
#include "shared.h"

/* All that a task needs to know; made by the parent before the first task. */
struct run {
	unsigned long tasks;
	hwloc_topology_t topology;
	const struct placement *placement;
	bool bind;
	unsigned long long **counters;	/* one per task */
	pid_t *tids;			/* one per task, set before it waits at the gate; shared */
	struct shared *shared;
	pid_t parent;
};

/*
 * Makes the calling process a member of a team: its death signal, its group (0: it founds one), its
 * signals.
 */
void task_join(const struct run *run, pid_t group);

/*
 * To be called by the process of many tasks: from now on one that takes it down is named in
 * run->shared->culprit: twice 1 + its number, and 1 more for a partner of it; 0: nobody.
 */
void task_blame_begin(void);

/*
 * A task from its first moment to its end: is bound, faults in its memory, waits at the gate, runs
 * the testcase.
 */
void task_run(const struct run *run, unsigned long nr) __attribute__((noreturn));

/* Which task, or whose partner, the calling thread is. */
struct task_self {
	const struct run *run;		/* NULL: the parent, which is no task */
	unsigned long nr;
	bool partner;
};
struct task_self *task_self(void);

/* Ends the run with a verdict, from within a task, a partner, or a hook that the parent runs. */
void task_verdict(enum verdict verdict, const char *format, ...)
	__attribute__((noreturn, cold, format(printf, 2, 3)));
void task_verdict_va(enum verdict verdict, const char *format, va_list arguments)
	__attribute__((noreturn, cold, format(printf, 2, 0)));

/* How the parent ends the program from within a hook; in main.c. */
void parent_verdict(enum verdict verdict, const char *format, va_list arguments)
	__attribute__((noreturn, cold, format(printf, 2, 0)));

#endif
