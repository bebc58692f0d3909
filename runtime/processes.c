/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tasks as processes: each a child of the parent, in one process group. */
#include "config.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "options.h"
#include "tasks.h"
#include "team.h"
#include "testcase.h"
#include "watch.h"

const char mode_name[] = "processes";
const char mode_rate_name[] = "per_process_ops";
const bool mode_shares_process = false;

void mode_start(const struct run *run, struct team *team)
{
	/* Orphaned partners become the parent's children, which sees their end then. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (unsigned long nr = 0; nr < run->tasks; nr++) {
		pid_t pid = fork();

		if (pid < 0) {
			shared_verdict(run->shared, VERDICT_FAILED,
				       "cannot make the process of task %lu: %s", nr,
				       strerror(errno));
			return;
		}
		if (!pid) {
			task_join(run, team->group);
			task_run(run, nr);
		}
		team_add(team, pid);
	}
}

/*
 * A partner whose go-between has ended: the parent is now its parent, and takes it along when it
 * dies.
 */
static void wait_for_adoption(pid_t between, pid_t parent)
{
	while (getppid() == between)
		sched_yield();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(STATUS_FAILED);
}

/*
 * The partner is made by a process in between that ends at once, so that it becomes a child of the
 * parent: the maker gets no signal and no zombie, and the parent learns at once when a partner
 * dies.
 */
void new_task(void *(func)(void *), void *arg)
{
	struct task_self *self = task_self();
	pid_t between, partner;
	int status = 0;

	if (!self->run)
		task_verdict(VERDICT_FAILED, "new_task() was called outside of a task");
	between = fork();
	if (!between) {
		pid_t between_self = getpid();

		partner = fork();
		if (partner)
			_exit(partner < 0 ? errno : 0);
		self->partner = true;
		wait_for_adoption(between_self, self->run->parent);
		func(arg);
		_exit(0);
	}
	if (between < 0)
		task_verdict(VERDICT_FAILED, "cannot make a partner: %s", strerror(errno));
	while (waitpid(between, &status, 0) < 0 && errno == EINTR)
		;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		task_verdict(VERDICT_FAILED, "cannot make a partner: %s",
			     strerror(WEXITSTATUS(status)));
}
