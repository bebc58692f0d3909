/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "switch to a partner task or back: wake it through a futex and wait";

const struct testcase_needs testcase_needs = { .partners = 1 };

enum { MAKER, PARTNER };

static long futex(int *word, int operation, int value)
{
	return syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}

/* Gives the turn to another, and waits until it comes back. */
static void pass(int *turn, int self, int other)
{
	__atomic_store_n(turn, other, __ATOMIC_SEQ_CST);
	CHECK(futex(turn, FUTEX_WAKE, 1) >= 0);
	while (__atomic_load_n(turn, __ATOMIC_SEQ_CST) != self)
		CHECK(futex(turn, FUTEX_WAIT, other) == 0 || errno == EAGAIN);
}

static void *partner(void *arg)
{
	int *turn = arg;

	while (__atomic_load_n(turn, __ATOMIC_SEQ_CST) != PARTNER)
		CHECK(futex(turn, FUTEX_WAIT, MAKER) == 0 || errno == EAGAIN);
	while (1)
		pass(turn, PARTNER, MAKER);
	return NULL;
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	int *turn = shared_memory(sizeof(*turn));

	new_task(partner, turn);
	while (1) {
		pass(turn, MAKER, PARTNER);
		(*iterations) += 2;
	}
}
