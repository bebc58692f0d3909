/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "send a blocked signal to oneself and read it from an own signalfd";

const struct testcase_needs testcase_needs = { .files = 1 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	pid_t process = getpid(), thread = syscall(SYS_gettid);
	struct signalfd_siginfo info;
	sigset_t signals;
	int file;

	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	CHECK_ERROR(pthread_sigmask(SIG_BLOCK, &signals, NULL));
	file = signalfd(-1, &signals, 0);
	CHECK(file >= 0);
	while (1) {
		CHECK(syscall(SYS_tgkill, process, thread, SIGUSR1) == 0);
		CHECK(read(file, &info, sizeof(info)) == sizeof(info));
		(*iterations)++;
	}
}
