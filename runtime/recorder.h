/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Another program that is to record the measurement and nothing else, as `perf record --control`
 * does: it is told "enable" and "disable" over a socket, and answers each with "ack".
 */
#ifndef OPSCALE_RECORDER_H
#define OPSCALE_RECORDER_H

#include <stdbool.h>

/*
 * Returns once the recorder has answered, or will not: it has ended, or is too slow. descriptor: of
 * the socket, -1 for none.
 */
void recorder_switch(int descriptor, bool on);

#endif
