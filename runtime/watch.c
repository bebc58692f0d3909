/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <err.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "options.h"
#include "samples.h"
#include "scratch.h"
#include "watch.h"

#define NSEC_PER_SEC 1000000000LL

static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
static const int crashing[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS };

/* strsignal() is not for signal handlers. */
static const char *const signal_names[] = {
	[SIGINT] = "Interrupt",
	[SIGTERM] = "Terminated",
	[SIGHUP] = "Hangup",
	[SIGQUIT] = "Quit",
	[SIGSEGV] = "Segmentation fault",
	[SIGBUS] = "Bus error",
	[SIGILL] = "Illegal instruction",
	[SIGFPE] = "Floating point exception",
	[SIGABRT] = "Aborted",
	[SIGSYS] = "Bad system call",
};
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A signal handler takes no parameter of ours. */
static struct {
	pid_t self;
	pid_t group;
	int signal;				/* that watch_wait() has taken */
	timer_t limit;
	const char *hook;			/* that runs now, else NULL */
	sigset_t mask;				/* as the program was started */
	struct sigaction before[COUNT(ending)];
	struct sigaction pipe_before;
} watch;

/* No testcase of the field uses the last real-time signal; SIGALRM some may. */
static int limit_signal(void)
{
	return SIGRTMAX;
}

int64_t watch_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

void watch_die_by(int number)
{
	sigset_t only;

	signal(number, SIG_DFL);
	sigemptyset(&only);
	sigaddset(&only, number);
	raise(number);
	sigprocmask(SIG_UNBLOCK, &only, NULL);
	_exit(STATUS_FAILED);
}

static void append(char text[256], const char *more)
{
	size_t used = strlen(text);

	while (*more && used < 255)
		text[used++] = *more++;
	text[used] = '\0';
}

static void append_signal(char text[256], int number)
{
	char digits[3] = { '0' + number / 10, '0' + number % 10 };

	append(text, "by signal ");
	append(text, digits + (number < 10));
	append(text, " (");
	append(text, signal_names[number]);
	append(text, ")\n");
}

/* One line, with this prefix; it becomes the last record of the samples file too. */
static void tell_abandoned(int number)
{
	char text[256] = "", record[256] = "end ";
	ssize_t written;

	if (number == limit_signal()) {
		append(text, watch.hook);
		append(text, " did not end in time (120 s)\n");
	} else if (number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT) {
		append(text, "interrupted ");
		append_signal(text, number);
	} else {
		append(text, watch.hook ? watch.hook : "the program");
		append(text, " was killed ");
		append_signal(text, number);
	}
	if (strncmp(text, "interrupted", strlen("interrupted")))
		append(record, "failed ");
	append(record, text);
	samples_abandon(record);
	record[0] = '\0';
	append(record, program_invocation_short_name);
	append(record, ": ");
	append(record, text);
	written = write(STDERR_FILENO, record, strlen(record));
	(void)written;
}

/* Only async-signal-safe calls: the program may be anywhere, in the middle of malloc too. */
static void abandon(int number)
{
	/*
	 * A process that a hook forked has inherited the handler, but nothing of it is for it to
	 * undo.
	 */
	if (getpid() != watch.self)
		watch_die_by(number);
	if (watch.group)
		kill(-watch.group, SIGKILL);
	scratch_remove();
	tell_abandoned(number);
	if (number != limit_signal())
		watch_die_by(number);
	_exit(STATUS_FAILED);
}

void watch_crashes(void (*handler)(int))
{
	struct sigaction action;

	for (size_t i = 0; i < COUNT(crashing); i++) {
		/* A sanitizer's own handler says more. */
		if (sigaction(crashing[i], NULL, &action) || action.sa_handler != SIG_DFL)
			continue;
		action = (struct sigaction) { .sa_handler = handler };
		sigaction(crashing[i], &action, NULL);
	}
}

/* exit() in a hook must not pass for a good end, with whatever status. */
static void judge_exit(void)
{
	char reason[64];

	if (!watch.hook || getpid() != watch.self)
		return;
	snprintf(reason, sizeof(reason), "%s called exit()", watch.hook);
	warnx("%s", reason);
	scratch_remove();
	samples_end(NULL, VERDICT_FAILED, reason);
	_exit(STATUS_FAILED);
}

void watch_begin(void)
{
	struct sigaction action = { .sa_handler = abandon };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = limit_signal() };
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	watch.self = getpid();
	sigprocmask(SIG_SETMASK, NULL, &watch.mask);
	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < COUNT(ending); i++) {
		sigaction(ending[i], NULL, &watch.before[i]);
		/* Started by nohup, or in the background of a shell: that stays. */
		if (watch.before[i].sa_handler != SIG_IGN)
			sigaction(ending[i], &action, NULL);
	}
	sigaction(limit_signal(), &action, NULL);
	watch_crashes(abandon);
	/* Inherited as ignored, it would make children vanish without a status. */
	signal(SIGCHLD, SIG_DFL);
	/* A reader that goes away shows as a failed write, so that the run is still cleaned up. */
	sigaction(SIGPIPE, &ignore, &watch.pipe_before);
	atexit(judge_exit);
	if (timer_create(CLOCK_MONOTONIC, &event, &watch.limit))
		err(STATUS_FAILED, "cannot make a timer");
}

void watch_group(pid_t group)
{
	watch.group = group;
}

void watch_hook(const char *hook)
{
	struct itimerspec time = { .it_value.tv_sec = hook ? WATCH_HOOK_LIMIT : 0 };

	watch.hook = hook;
	timer_settime(watch.limit, 0, &time, NULL);
}

static sigset_t held_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (size_t i = 0; i < COUNT(ending); i++)
		if (watch.before[i].sa_handler != SIG_IGN)
			sigaddset(&set, ending[i]);
	return set;
}

void watch_hold(void)
{
	sigset_t set = held_signals();

	sigprocmask(SIG_BLOCK, &set, NULL);
}

void watch_release(void)
{
	sigset_t set = held_signals();

	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static struct timespec left_until(int64_t until)
{
	int64_t left = until - watch_now();

	if (left < 0)
		left = 0;
	return (struct timespec) {
		.tv_sec = left / NSEC_PER_SEC,
		.tv_nsec = left % NSEC_PER_SEC,
	};
}

void watch_wait(int64_t until)
{
	sigset_t set = held_signals();
	struct timespec timeout = left_until(until);
	int number;

	number = sigtimedwait(&set, NULL, &timeout);
	if (number > 0 && number != SIGCHLD && !watch.signal)
		watch.signal = number;
}

void watch_wait_input(int descriptor, int64_t until)
{
	sigset_t set = held_signals();
	struct timespec timeout = left_until(until);
	struct pollfd awaited[] = {
		{ .fd = descriptor, .events = POLLIN },
		{ .fd = signalfd(-1, &set, SFD_CLOEXEC), .events = POLLIN },
	};

	ppoll(awaited, COUNT(awaited), &timeout, NULL);
	close(awaited[1].fd);
	watch_wait(0);
}

int watch_signal(void)
{
	return watch.signal;
}

void watch_in_child(void)
{
	struct sigaction action;

	for (size_t i = 0; i < COUNT(ending); i++)
		sigaction(ending[i], &watch.before[i], NULL);
	sigaction(SIGPIPE, &watch.pipe_before, NULL);
	signal(limit_signal(), SIG_DFL);
	for (size_t i = 0; i < COUNT(crashing); i++)
		if (!sigaction(crashing[i], NULL, &action) && action.sa_handler == abandon)
			signal(crashing[i], SIG_DFL);
	sigprocmask(SIG_SETMASK, &watch.mask, NULL);
}
