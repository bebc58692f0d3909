/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parent's side of a run: the processes that it has made, one per task or one that holds all
 * tasks as threads. How they are made is in processes.c and threads.c, each linked into one of a
 * testcase's two programs: their only difference.
 */
#ifndef OPSCALE_TEAM_H
#define OPSCALE_TEAM_H

#include <stdbool.h>
#include <sys/types.h>

#include "tasks.h"

struct team {
	pid_t group;			/* all members and what they make; 0 before the first one */
	unsigned long members;
	pid_t *pids;
};

extern const char mode_name[];		/* "processes", "threads" */
extern const char mode_rate_name[];	/* "per_process_ops", "per_thread_ops" */
extern const bool mode_shares_process;	/* all tasks live in one process */

/*
 * Makes the members. What fails is a verdict in run->shared, and leaves those made so far to be
 * ended.
 */
void mode_start(const struct run *run, struct team *team);

/* For mode_start(): the first member founds the group. */
void team_add(struct team *team, pid_t pid);

/*
 * Makes the team and waits until all tasks wait at the gate; false, with a verdict in run->shared,
 * if one does not.
 */
bool team_start(const struct run *run, struct team *team);

/*
 * False, with a verdict in run->shared, once a member or a partner has ended, since none should, a
 * task has given a verdict, or a signal has come.
 */
bool team_alive(const struct run *run, struct team *team);

/*
 * Stops all members and what they made, and waits until the members stand still; false, with a
 * verdict in run->shared, where one does not.
 */
bool team_halt(const struct run *run, struct team *team);

/* Lets them go on. */
void team_continue(const struct team *team);

/*
 * Kills all members and what they made, and waits for their end; false where the kernel does not
 * let go of one.
 */
bool team_end(struct team *team);

#endif
