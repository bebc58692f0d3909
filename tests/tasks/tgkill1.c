/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "testcase.h"

/* Blocked in both, and taken in turn: pending ones would merge. */
#define TO_PARTNER SIGUSR1
#define TO_MAKER SIGUSR2

char *testcase_description =
	"signal to a partner, which takes it with sigwait, counts and signals back";

const struct testcase_needs testcase_needs = { .partners = 1 };

struct pair {
	unsigned long long *iterations;
	pid_t maker_process, maker, partner_process, partner;
	sigset_t set;
};

static void *partner(void *arg)
{
	struct pair *pair = arg;
	int number;

	CHECK_ERROR(pthread_sigmask(SIG_BLOCK, &pair->set, NULL));
	__atomic_store_n(&pair->partner, syscall(SYS_gettid), __ATOMIC_RELAXED);
	/* The maker must know both before it goes on. */
	__atomic_store_n(&pair->partner_process, getpid(), __ATOMIC_RELEASE);
	while (1) {
		CHECK_ERROR(sigwait(&pair->set, &number));
		CHECK(number == TO_PARTNER);
		(*pair->iterations)++;
		CHECK(syscall(SYS_tgkill, pair->maker_process, pair->maker, TO_MAKER) == 0);
	}
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	struct pair *pair = shared_memory(sizeof(*pair));
	int number;

	pair->iterations = iterations;
	pair->maker_process = getpid();
	pair->maker = syscall(SYS_gettid);
	CHECK(sigemptyset(&pair->set) == 0);
	CHECK(sigaddset(&pair->set, TO_PARTNER) == 0);
	CHECK(sigaddset(&pair->set, TO_MAKER) == 0);
	CHECK_ERROR(pthread_sigmask(SIG_BLOCK, &pair->set, NULL));
	new_task(partner, pair);
	while (!__atomic_load_n(&pair->partner_process, __ATOMIC_ACQUIRE))
		sched_yield();
	while (1) {
		CHECK(syscall(SYS_tgkill, pair->partner_process, pair->partner, TO_PARTNER) == 0);
		CHECK_ERROR(sigwait(&pair->set, &number));
		CHECK(number == TO_MAKER);
	}
}
