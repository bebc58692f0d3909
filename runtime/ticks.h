/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the machine's CPUs have spent their time on. */
#ifndef OPSCALE_TICKS_H
#define OPSCALE_TICKS_H

/*
 * In the order of /proc/stat: user nice system idle iowait irq softirq steal; 1/USER_HZ, all CPUs
 * together.
 */
enum { NR_TICKS = 8 };

struct ticks {
	unsigned long long value[NR_TICKS];
};

/* All zero where /proc/stat cannot be read. */
struct ticks ticks_read(void);

struct ticks ticks_between(const struct ticks *before, const struct ticks *after);

#endif
