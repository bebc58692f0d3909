/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <alloca.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "options.h"
#include "tasks.h"
#include "testcase.h"
#include "watch.h"

/* Of stack below the testcase's frame: more than testcases use for buffers. */
enum { STACK_TOUCHED = 80 * 1024 };

static _Thread_local struct task_self self;

struct task_self *task_self(void)
{
	return &self;
}

void task_verdict_va(enum verdict verdict, const char *format, va_list arguments)
{
	char reason[sizeof(self.run->shared->reason)];

	if (!self.run)
		parent_verdict(verdict, format, arguments);
	vsnprintf(reason, sizeof(reason), format, arguments);
	if (verdict == VERDICT_SKIPPED)
		shared_verdict(self.run->shared, verdict, "%s", reason);
	else
		shared_verdict(self.run->shared, verdict, "%stask %lu: %s",
			       self.partner ? "partner of " : "", self.nr, reason);
	_exit(STATUS_FAILED);
}

void task_verdict(enum verdict verdict, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	task_verdict_va(verdict, format, arguments);
}

void task_join(const struct run *run, pid_t group)
{
	setpgid(0, group);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The parent may have died before it could be heard of. */
	if (getppid() != run->parent)
		_exit(STATUS_FAILED);
	watch_in_child();
}

/*
 * The process that its tasks take down with them; what these fork inherits the handlers below, but
 * has no say.
 */
static pid_t blamed_process;

/* The parent cannot see from the status of a process with many tasks which one ended it. */
static void blame_self(void)
{
	if (self.run && getpid() == blamed_process)
		__atomic_store_n(&self.run->shared->culprit, 2 * (self.nr + 1) + self.partner,
				 __ATOMIC_RELAXED);
}

static void blame_self_and_die(int number)
{
	blame_self();
	watch_die_by(number);
}

void task_blame_begin(void)
{
	blamed_process = getpid();
	watch_crashes(blame_self_and_die);
	atexit(blame_self);
}

static void bind_to_place(const struct run *run, unsigned long nr)
{
	const struct place *place = placement_of(run->placement, nr);

	if (run->bind && hwloc_set_cpubind(run->topology, place->cpuset, HWLOC_CPUBIND_THREAD))
		task_verdict(VERDICT_FAILED, "cannot be bound to CPU %d: %s", place->cpu,
			     strerror(errno));
}

/* A small stack is left alone: who sets one knows what the testcase needs. */
static size_t stack_to_touch(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur / 2 < STACK_TOUCHED)
		return 0;
	return STACK_TOUCHED;
}

static __attribute__((noinline)) void touch_stack(void)
{
	size_t bytes = stack_to_touch();
	volatile char *below = alloca(bytes);

	for (size_t i = 0; i < bytes; i += 4096)
		below[i] = 0;
}

/*
 * Calls the testcase with its frame at the same offset in a page, whatever the size of the
 * environment and however the task's stack was made: its locals are as much a part of the layout as
 * its globals are.
 */
static __attribute__((noinline)) void enter_testcase(const struct run *run, unsigned long nr)
{
	volatile char *pad = alloca((uintptr_t)__builtin_frame_address(0) % 4096);

	__asm__ volatile("" : : "r"(pad) : "memory");
	touch_stack();
	*run->counters[nr] = 0;
	run->tids[nr] = gettid();
	shared_wait_at_gate(run->shared);
	testcase(run->counters[nr], nr);
}

void task_run(const struct run *run, unsigned long nr)
{
	unsigned long long count;

	self = (struct task_self) { .run = run, .nr = nr };
	bind_to_place(run, nr);
	enter_testcase(run, nr);

	count = *run->counters[nr];
	if (!count)
		task_verdict(VERDICT_SKIPPED,
			     "testcase() returned at once: it does nothing on this platform");
	task_verdict(VERDICT_FAILED,
		     "testcase() returned after %llu operations, its loop must not end", count);
}
