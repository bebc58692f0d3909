/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The work of spin1 and getppid1 as a plain program times it, without any of the suite: what the
 * runtime costs is measured against this. It counts in a register, and looks at the clock so rarely
 * that it shows in no result.
 *
 * handwritten spin1|getppid1 CPU: every 50 ms prints the time on CLOCK_MONOTONIC, the time it has
 * had on the CPU, both in nanoseconds, and its iterations so far, until it is killed or unread.
 */
#define _GNU_SOURCE
#include <err.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LINE_INTERVAL 50000000

enum { BATCH = 10000 };

static uint64_t spin(uint64_t value)
{
	for (int i = 0; i < BATCH; i++) {
		for (int step = 0; step < 64; step++)
			value = value * 6364136223846793005u + 1442695040888963407u;
		__asm__ volatile ("" : "+r" (value) : : "memory");
	}
	return value;
}

static uint64_t call_getppid(uint64_t value)
{
	for (int i = 0; i < BATCH; i++)
		getppid();
	return value;
}

static int64_t read_clock(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void count(uint64_t (*batch)(uint64_t))
{
	uint64_t iterations = 0, value = 0;
	int64_t printed = 0;

	while (1) {
		int64_t now;

		value = batch(value);
		iterations += BATCH;
		now = read_clock(CLOCK_MONOTONIC);
		if (now - printed < LINE_INTERVAL)
			continue;
		printf("%" PRId64 " %" PRId64 " %" PRIu64 "\n", now,
		       read_clock(CLOCK_PROCESS_CPUTIME_ID), iterations);
		printed = now;
	}
}

int main(int argc, char **argv)
{
	cpu_set_t cpus;

	if (argc != 3 || (strcmp(argv[1], "spin1") && strcmp(argv[1], "getppid1")))
		errx(2, "usage: handwritten spin1|getppid1 CPU");
	CPU_ZERO(&cpus);
	CPU_SET(atoi(argv[2]), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		err(1, "cannot be bound to CPU %s", argv[2]);
	setvbuf(stdout, NULL, _IOLBF, 0);
	count(strcmp(argv[1], "spin1") ? call_getppid : spin);
}
