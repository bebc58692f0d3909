/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which task runs where: a pure function of topology, policy and task number. */
#ifndef OPSCALE_PLACEMENT_H
#define OPSCALE_PLACEMENT_H

#include <hwloc.h>

enum policy {
	POLICY_CORES,		/* a task per core in hwloc's order, then their next threads */
	POLICY_PUS,		/* a task per hardware thread in hwloc's order */
	POLICY_SCATTER,		/* over packages, NUMA nodes, shared caches, cores first */
	POLICY_COMPACT,		/* fill siblings, then cores, then caches: hwloc's order too */
	POLICY_NONE,		/* not bound */
};

/* Name of a policy, NULL past the last one. */
const char *policy_name(enum policy policy);

/*
 * Where a task runs. Numbers are hwloc's logical ones but for cpu, which is the system's; -1: does
 * not apply.
 */
struct place {
	hwloc_const_cpuset_t cpuset;
	int cpu, core, cache, node, package, kind;
};

/* Task n runs at places[n % count]: more tasks than places wrap around. */
struct placement {
	enum policy policy;
	unsigned int count;
	struct place *places;
};

/* The result refers to the topology. NULL where memory is out. */
struct placement *placement_make(hwloc_topology_t topology, enum policy policy);
void placement_free(struct placement *placement);

static inline const struct place *placement_of(const struct placement *placement,
					       unsigned long task)
{
	return &placement->places[task % placement->count];
}

#endif
