/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <stdlib.h>

#include "options.h"
#include "topology.h"

/* A number of at most 7 digits; -1 where there is none. Moves the text past it. */
static int parse_cpu(const char **text)
{
	int cpu = 0, digits = 0;

	while (isdigit((unsigned char)**text) && digits < 7) {
		cpu = 10 * cpu + *(*text)++ - '0';
		digits++;
	}
	return digits ? cpu : -1;
}

static void bad_list(const char *list)
{
	usage_error("--cpus %s: not a list of CPUs, as in 0-3,8,10-11", list);
}

/* Restricts the topology to the CPUs of the list, each of which must be there. */
static void restrict_to_list(hwloc_topology_t topology, const char *list)
{
	hwloc_const_cpuset_t usable = hwloc_topology_get_topology_cpuset(topology);
	hwloc_bitmap_t chosen = hwloc_bitmap_alloc();
	const char *rest = list;

	if (!chosen)
		err(STATUS_FAILED, "--cpus");
	do {
		int first = parse_cpu(&rest), last = first;

		if (first >= 0 && *rest == '-') {
			rest++;
			last = parse_cpu(&rest);
		}
		if (first < 0 || last < first || (*rest && *rest != ','))
			bad_list(list);
		for (int cpu = first; cpu <= last; cpu++) {
			char *available;

			if (hwloc_bitmap_isset(usable, cpu))
				continue;
			if (hwloc_bitmap_list_asprintf(&available, usable) < 0)
				err(STATUS_FAILED, "--cpus");
			usage_error("--cpus %s: CPU %d is not online and allowed here, only %s",
				    list, cpu, available);
		}
		hwloc_bitmap_set_range(chosen, first, last);
	} while (*rest++ == ',');

	if (hwloc_topology_restrict(topology, chosen, HWLOC_RESTRICT_FLAG_REMOVE_CPULESS))
		err(STATUS_FAILED, "--cpus %s: hwloc cannot restrict the topology", list);
	hwloc_bitmap_free(chosen);
}

/*
 * hwloc leaves out what the cgroup forbids; the affinity that the program was started with
 * (taskset) is ours to add.
 */
static void restrict_to_affinity(hwloc_topology_t topology)
{
	hwloc_bitmap_t bound = hwloc_bitmap_alloc();

	if (!bound)
		err(STATUS_FAILED, "cannot load the topology");
	if (hwloc_topology_is_thissystem(topology) &&
	    !hwloc_get_cpubind(topology, bound, HWLOC_CPUBIND_PROCESS) &&
	    hwloc_topology_restrict(topology, bound, HWLOC_RESTRICT_FLAG_REMOVE_CPULESS) &&
	    errno != EINVAL)
		err(STATUS_FAILED, "cannot restrict the topology to this process's CPUs");
	hwloc_bitmap_free(bound);
}

hwloc_topology_t topology_load(const char *cpus)
{
	hwloc_topology_t topology;

	if (hwloc_topology_init(&topology) || hwloc_topology_load(topology))
		err(STATUS_FAILED, "hwloc cannot load the topology");
	restrict_to_affinity(topology);
	if (cpus)
		restrict_to_list(topology, cpus);
	return topology;
}

/* Caches that no other cache lies above. */
static int count_last_level_caches(hwloc_obj_t obj)
{
	int count = 0;

	if (hwloc_obj_type_is_dcache(obj->type))
		return 1;
	for (unsigned int i = 0; i < obj->arity; i++)
		count += count_last_level_caches(obj->children[i]);
	return count;
}

struct topology_counts topology_count(hwloc_topology_t topology)
{
	return (struct topology_counts) {
		.packages = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PACKAGE),
		.nodes = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE),
		.caches = count_last_level_caches(hwloc_get_root_obj(topology)),
		.cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE),
		.cpus = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU),
	};
}
