/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parent's signals, waits and time limits. At any moment of a run, a signal that asks the
 * program to end, or a limit that runs out, ends it with tasks and scratch directory gone.
 */
#ifndef OPSCALE_WATCH_H
#define OPSCALE_WATCH_H

#include <stdint.h>
#include <sys/types.h>

/* Seconds that a testcase may spend in testcase_prepare, and again in testcase_cleanup. */
enum { WATCH_HOOK_LIMIT = 120 };

/* Where something mostly comes at once: the first look after so long, ns, each further one twice. */
#define WATCH_FIRST_LOOK 50000

/* CLOCK_MONOTONIC in nanoseconds. */
int64_t watch_now(void);

/* To be called once, before the first thing that must be undone. */
void watch_begin(void);

/* The process group that dies with the program; 0: none. */
void watch_group(pid_t group);

/*
 * A hook of the testcase runs from now on, NULL: no more. One that does not return in time, crashes
 * or calls exit() ends the program with a failed run. The name must be a literal.
 */
void watch_hook(const char *hook);

/*
 * From watch_hold() to watch_release() signals wait until watch_wait() takes them; outside, a
 * signal ends the program by the shortest way, since a testcase's hook may hang.
 */
void watch_hold(void);
void watch_release(void);

/* Waits until the time (of watch_now()), or until a child ends or a signal comes before. */
void watch_wait(int64_t until);

/* The same, or until the descriptor can be read or its other end is closed. */
void watch_wait_input(int descriptor, int64_t until);

/* The signal that asks the program to end, once one was taken while waiting; else 0. */
int watch_signal(void);

/*
 * Has a handler called for the signals of a crash, as far as they are at their default. It must not
 * return.
 */
void watch_crashes(void (*handler)(int));

/* In a new child: signals as they were before watch_begin(). */
void watch_in_child(void);

/* Ends the calling process by a signal, as if nobody had caught it. */
void watch_die_by(int signal) __attribute__((noreturn));

#endif
