/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions that do nothing, and that the plugin of a virtual machine recognises: a long NOP
 * whose 32 bits of displacement no compiler ever chooses. They cost a nanosecond elsewhere.
 */
#ifndef OPSCALE_MARKER_H
#define OPSCALE_MARKER_H

/* "OPS" and a letter, as the bytes lie in memory. */
#define MARKER_RUN 0x5253504f	/* R: a program is about to be run */
#define MARKER_OPEN 0x4f53504f	/* O: the measurement of a counter begins */
#define MARKER_CLOSE 0x4353504f	/* C: it ends */

#ifdef __x86_64__
#define MARKER_TEXT(word) #word
#define MARKER(word) "nopl " MARKER_TEXT(word) "(%%rax)\n\t"

static inline void marker_run(void)
{
	__asm__ volatile(MARKER(MARKER_RUN) ::: "memory");
}

/* The load that follows tells the plugin where the counter lies. */
static inline void marker_open(const unsigned long long *counter)
{
	unsigned long long value;

	__asm__ volatile(MARKER(MARKER_OPEN) "mov %1, %0"
			 : "=r" (value)
			 : "m" (*counter)
			 : "memory");
}

static inline void marker_close(void)
{
	__asm__ volatile(MARKER(MARKER_CLOSE) ::: "memory");
}
#else
static inline void marker_run(void) {}
static inline void marker_open(const unsigned long long *counter) { (void)counter; }
static inline void marker_close(void) {}
#endif

#endif
