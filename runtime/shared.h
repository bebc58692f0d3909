/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parent and the tasks share while a run lasts: the gate, and why the run failed. */
#ifndef OPSCALE_SHARED_H
#define OPSCALE_SHARED_H

#include <stdarg.h>
#include <stdint.h>

enum verdict { VERDICT_NONE, VERDICT_FAILED, VERDICT_SKIPPED, VERDICT_INTERRUPTED };

struct shared {
	uint32_t gate;			/* futex: 0 closed, 1 open */
	uint32_t ready;			/* tasks that wait at the gate */
	uint32_t claimed;		/* somebody writes the verdict, or has written it */
	uint32_t verdict;		/* enum verdict, set after the reason */
	uint32_t culprit;		/* who takes all down: see task_blame_begin() */
	char reason[1024];
};

/* Waits until the gate opens, having counted itself ready. */
void shared_wait_at_gate(struct shared *shared);
void shared_open_gate(struct shared *shared);
unsigned long shared_ready(const struct shared *shared);

/* Records a verdict and its reason; the first one of a run stands. */
void shared_verdict(struct shared *shared, enum verdict verdict, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void shared_verdict_va(struct shared *shared, enum verdict verdict, const char *format,
		       va_list arguments) __attribute__((format(printf, 3, 0)));

/* VERDICT_NONE as long as nobody has recorded one completely. */
enum verdict shared_get_verdict(const struct shared *shared);

#endif
