/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of the machine that this program may use. */
#ifndef OPSCALE_TOPOLOGY_H
#define OPSCALE_TOPOLOGY_H

#include <hwloc.h>

/*
 * Loads the topology of the CPUs that are online, allowed by the cgroup and by this process's
 * affinity, and in the list (as 0-3,8,10-11; NULL: all of them). A list that is malformed or names
 * other CPUs is wrong usage and ends the program.
 */
hwloc_topology_t topology_load(const char *cpus);

struct topology_counts {
	int packages, nodes, caches, cores, cpus;	/* caches: last-level ones */
};
struct topology_counts topology_count(hwloc_topology_t topology);

#endif
