/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tasks as threads of one process, which is a child of the parent. */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"
#include "tasks.h"
#include "team.h"
#include "testcase.h"

const char mode_name[] = "threads";
const char mode_rate_name[] = "per_thread_ops";
const bool mode_shares_process = true;

struct start {
	const struct run *run;
	unsigned long nr;
};

static void *task_thread(void *arg)
{
	const struct start *start = arg;

	task_run(start->run, start->nr);
}

/* The process that holds the tasks. It does nothing itself, and is killed as a whole. */
static void host(const struct run *run)
{
	struct start *starts = calloc(run->tasks, sizeof(*starts));
	pthread_attr_t detached;
	int error = starts ? pthread_attr_init(&detached) : ENOMEM;
	unsigned long nr = 0;

	if (!error)
		error = pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	for (; !error && nr < run->tasks; nr++) {
		pthread_t thread;

		starts[nr] = (struct start) { .run = run, .nr = nr };
		error = pthread_create(&thread, &detached, task_thread, &starts[nr]);
	}
	if (error) {
		shared_verdict(run->shared, VERDICT_FAILED,
			       "cannot make the thread of task %lu: %s", nr - !!nr,
			       strerror(error));
		_exit(STATUS_FAILED);
	}
	for (;;)
		pause();
}

void mode_start(const struct run *run, struct team *team)
{
	pid_t pid = fork();

	if (pid < 0) {
		shared_verdict(run->shared, VERDICT_FAILED, "cannot make the tasks' process: %s",
			       strerror(errno));
		return;
	}
	if (!pid) {
		task_join(run, 0);
		task_blame_begin();
		host(run);
	}
	team_add(team, pid);
}

struct partner {
	void *(*func)(void *);
	void *arg;
	struct task_self self;
};

static void *partner_thread(void *arg)
{
	struct partner partner = *(struct partner *)arg;

	free(arg);
	*task_self() = partner.self;
	partner.func(partner.arg);
	return NULL;
}

void new_task(void *(func)(void *), void *arg)
{
	const struct task_self *self = task_self();
	struct partner *partner;
	pthread_t thread;
	int error;

	if (!self->run)
		task_verdict(VERDICT_FAILED, "new_task() was called outside of a task");
	partner = malloc(sizeof(*partner));
	if (!partner)
		task_verdict(VERDICT_FAILED, "cannot make a partner: %s", strerror(ENOMEM));
	*partner = (struct partner) { .func = func, .arg = arg, .self = *self };
	partner->self.partner = true;
	/* A new thread inherits the affinity of its maker. */
	error = pthread_create(&thread, NULL, partner_thread, partner);
	if (error)
		task_verdict(VERDICT_FAILED, "cannot make a partner: %s", strerror(error));
	pthread_detach(thread);
}
