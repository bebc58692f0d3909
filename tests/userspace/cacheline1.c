/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <sched.h>

#include "testcase.h"

#define CPUS 8192
#define SET_BYTES CPU_ALLOC_SIZE(CPUS)

char *testcase_description = "pass a cache line to a partner on another CPU, or back";

const struct testcase_needs testcase_needs = { .partners = 1 };

enum { MAKER, PARTNER };

struct line {
	int turn __attribute__((aligned(256)));
	int partner_cpu __attribute__((aligned(256)));
};

static unsigned long tasks;
static cpu_set_t *usable;

/* For all tasks: which CPUs they run on, and how many of them have told theirs. */
static struct {
	unsigned long told;
	char taken[CPUS];
} *makers;

static int choose_partner_cpu(unsigned long nr)
{
	int cpus[CPUS], maker_cpu = sched_getcpu();
	unsigned long count = 0;

	CHECK(maker_cpu >= 0);
	__atomic_store_n(&makers->taken[maker_cpu], 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&makers->told, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&makers->told, __ATOMIC_ACQUIRE) < tasks)
		sched_yield();

	for (int cpu = 0; cpu < CPUS; cpu++)
		if (CPU_ISSET_S(cpu, SET_BYTES, usable) && !makers->taken[cpu])
			cpus[count++] = cpu;
	/* Task 0 does not get the first one, which may be a hardware thread of the same core. */
	return cpus[(nr + 1) % count];
}

static void bind_to(int cpu)
{
	cpu_set_t *set = CPU_ALLOC(CPUS);

	CHECK(set);
	CPU_ZERO_S(SET_BYTES, set);
	CPU_SET_S(cpu, SET_BYTES, set);
	CHECK(sched_setaffinity(0, SET_BYTES, set) == 0);
	CPU_FREE(set);
}

static void *partner(void *arg)
{
	struct line *line = arg;

	bind_to(line->partner_cpu);
	while (1) {
		while (__atomic_load_n(&line->turn, __ATOMIC_ACQUIRE) != PARTNER)
			;
		__atomic_store_n(&line->turn, MAKER, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* Two that share a CPU would wait for each other's time slices. */
void testcase_prepare(unsigned long nr_tasks)
{
	unsigned long cpus;

	usable = CPU_ALLOC(CPUS);
	CHECK(usable);
	CPU_ZERO_S(SET_BYTES, usable);
	CHECK(sched_getaffinity(0, SET_BYTES, usable) == 0);
	cpus = CPU_COUNT_S(SET_BYTES, usable);
	if (cpus < 2 * nr_tasks)
		testcase_skip("%lu tasks and their partners need %lu CPUs, and there are %lu: run "
			      "fewer tasks (-t)", nr_tasks, 2 * nr_tasks, cpus);
	makers = shared_memory(sizeof(*makers));
	tasks = nr_tasks;
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	struct line *line = shared_memory(sizeof(*line));

	line->partner_cpu = choose_partner_cpu(nr);
	new_task(partner, line);

	while (1) {
		__atomic_store_n(&line->turn, PARTNER, __ATOMIC_RELEASE);
		while (__atomic_load_n(&line->turn, __ATOMIC_ACQUIRE) != MAKER)
			;
		(*iterations) += 2;
	}
}
