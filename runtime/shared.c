/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shared.h"

void shared_wait_at_gate(struct shared *shared)
{
	__atomic_add_fetch(&shared->ready, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&shared->gate, __ATOMIC_ACQUIRE))
		syscall(SYS_futex, &shared->gate, FUTEX_WAIT, 0, NULL, NULL, 0);
}

void shared_open_gate(struct shared *shared)
{
	__atomic_store_n(&shared->gate, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &shared->gate, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

unsigned long shared_ready(const struct shared *shared)
{
	return __atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE);
}

void shared_verdict_va(struct shared *shared, enum verdict verdict, const char *format,
		       va_list arguments)
{
	if (__atomic_exchange_n(&shared->claimed, 1, __ATOMIC_ACQ_REL)) {
		/*
		 * Who claimed it needs a moment, and its process must not end before; or it is
		 * dead, and nobody will.
		 */
		for (int i = 0; i < 200 && shared_get_verdict(shared) == VERDICT_NONE; i++)
			usleep(500);
		if (shared_get_verdict(shared) != VERDICT_NONE)
			return;
	}
	vsnprintf(shared->reason, sizeof(shared->reason), format, arguments);
	__atomic_store_n(&shared->verdict, verdict, __ATOMIC_RELEASE);
}

void shared_verdict(struct shared *shared, enum verdict verdict, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	shared_verdict_va(shared, verdict, format, arguments);
	va_end(arguments);
}

enum verdict shared_get_verdict(const struct shared *shared)
{
	return __atomic_load_n(&shared->verdict, __ATOMIC_ACQUIRE);
}
