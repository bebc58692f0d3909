/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "options.h"
#include "team.h"
#include "watch.h"

#define MSEC 1000000LL
#define SEC 1000000000LL

/* Long enough for a machine that swaps; a task takes well under a millisecond. */
static int64_t start_limit(unsigned long tasks)
{
	return 30 * SEC + tasks * 20 * MSEC;
}

/* For the kernel to take down what a killed process has mapped and opened. */
static int64_t end_limit(unsigned long members)
{
	return 120 * SEC + members * 20 * MSEC;
}

void team_add(struct team *team, pid_t pid)
{
	if (!team->group) {
		team->group = pid;
		watch_group(pid);
	}
	/* The child does the same: whoever comes first, the group is there for the next one. */
	setpgid(pid, team->group);
	team->pids[team->members++] = pid;
}

bool team_start(const struct run *run, struct team *team)
{
	int64_t limit = watch_now() + start_limit(run->tasks);
	int64_t look = WATCH_FIRST_LOOK;

	*team = (struct team) { .pids = calloc(run->tasks, sizeof(*team->pids)) };
	if (!team->pids)
		err(STATUS_FAILED, "cannot hold %lu tasks", run->tasks);
	mode_start(run, team);
	while (shared_ready(run->shared) < run->tasks) {
		watch_wait(watch_now() + look);
		look = look < MSEC / 2 ? 2 * look : MSEC;
		if (!team_alive(run, team))
			return false;
		if (watch_now() > limit) {
			shared_verdict(run->shared, VERDICT_FAILED,
				       "%lu of %lu tasks did not get ready in time",
				       run->tasks - shared_ready(run->shared), run->tasks);
			return false;
		}
	}
	return true;
}

static void describe_status(char *text, size_t size, int status)
{
	if (WIFSIGNALED(status))
		snprintf(text, size, "was killed by signal %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else
		snprintf(text, size, "exited with status %d", WEXITSTATUS(status));
}

/* Records the end of a process of the team's group, unless it told its reason itself. */
static void record_end(const struct run *run, const struct team *team, pid_t pid, int status)
{
	uint32_t culprit = __atomic_load_n(&run->shared->culprit, __ATOMIC_RELAXED);
	unsigned long nr = 0;
	char how[80];

	describe_status(how, sizeof(how), status);
	while (nr < team->members && team->pids[nr] != pid)
		nr++;
	if (nr == team->members)
		shared_verdict(run->shared, VERDICT_FAILED, "a partner of a task %s", how);
	else if (!mode_shares_process)
		shared_verdict(run->shared, VERDICT_FAILED, "task %lu %s", nr, how);
	else if (culprit)
		shared_verdict(run->shared, VERDICT_FAILED, "%stask %lu, and all tasks with it, %s",
			       culprit % 2 ? "a partner of " : "", (unsigned long)culprit / 2 - 1,
			       how);
	else
		shared_verdict(run->shared, VERDICT_FAILED, "the process of all tasks %s", how);
}

bool team_alive(const struct run *run, struct team *team)
{
	int status;
	pid_t pid;

	if (watch_signal())
		shared_verdict(run->shared, VERDICT_INTERRUPTED, "by signal %d (%s)",
			       watch_signal(), strsignal(watch_signal()));
	while (team->group && (pid = waitpid(-team->group, &status, WNOHANG)) > 0) {
		bool member = false;

		for (unsigned long nr = 0; nr < team->members; nr++)
			member = member || team->pids[nr] == pid;
		/*
		 * A partner may end when its work is done; so may whatever else a task left behind.
		 */
		if (member || WIFSIGNALED(status) || WEXITSTATUS(status))
			record_end(run, team, pid, status);
	}
	return shared_get_verdict(run->shared) == VERDICT_NONE;
}

/* A process that waits for what it has made with vfork() does not come to a stop. */
#define HALT_LIMIT (5 * SEC)

static bool member_stopped(const struct team *team, unsigned long nr)
{
	siginfo_t seen = { .si_pid = 0 };

	return !waitid(P_PID, team->pids[nr], &seen, WSTOPPED | WNOHANG) && seen.si_pid;
}

bool team_halt(const struct run *run, struct team *team)
{
	int64_t limit = watch_now() + HALT_LIMIT;

	kill(-team->group, SIGSTOP);
	for (unsigned long nr = 0; nr < team->members; nr++) {
		while (!member_stopped(team, nr)) {
			watch_wait(limit);
			if (!team_alive(run, team))
				return false;
			if (watch_now() > limit) {
				shared_verdict(run->shared, VERDICT_FAILED,
					       "the process of task %lu does not stop: its testcase "
					       "needs .whole_runs", nr);
				return false;
			}
		}
	}
	return true;
}

void team_continue(const struct team *team)
{
	kill(-team->group, SIGCONT);
}

bool team_end(struct team *team)
{
	int64_t now = watch_now(), limit = now + end_limit(team->members), again = now;
	pid_t pid;

	while (team->group && now < limit) {
		/*
		 * One that was just being made may have been missed, and thousands take their time
		 * to die.
		 */
		if (now >= again) {
			kill(-team->group, SIGKILL);
			again = now + 200 * MSEC;
		}
		while ((pid = waitpid(-team->group, NULL, WNOHANG)) > 0)
			;
		if (pid < 0 && errno == ECHILD) {
			watch_group(0);
			team->group = 0;
		} else {
			watch_wait(again);
		}
		now = watch_now();
	}
	free(team->pids);
	return !team->group;
}
