/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counters.h"
#include "options.h"
#include "testcase.h"
#include "watch.h"

/* Two cache lines are fetched as a pair; 256 keeps neighbours apart on every known machine. */
enum { COUNTER_BYTES = 256 };

/* A node's counters fill whole pages of their own, so that the pages can lie on the node. */
static void make_on_node(hwloc_topology_t topology, const struct placement *placement,
			 unsigned long tasks, int node, unsigned long long **counters)
{
	hwloc_obj_t object =
		node < 0 ? NULL : hwloc_get_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node);
	unsigned long count = 0;
	size_t bytes;
	char *memory;

	for (unsigned long task = 0; task < tasks; task++)
		count += placement_of(placement, task)->node == node;
	if (!count)
		return;
	bytes = count * COUNTER_BYTES;
	memory = shared_memory(bytes);
	/*
	 * Where the kernel refuses, the pages lie on the parent's node: slower to sample, and no
	 * less right.
	 */
	if (object)
		hwloc_set_area_membind(topology, memory, bytes, object->nodeset, HWLOC_MEMBIND_BIND,
				       HWLOC_MEMBIND_BYNODESET);
	memset(memory, 0, bytes);

	for (unsigned long task = 0; task < tasks; task++) {
		if (placement_of(placement, task)->node != node)
			continue;
		counters[task] = (unsigned long long *)memory;
		memory += COUNTER_BYTES;
	}
}

unsigned long long **counters_make(hwloc_topology_t topology, const struct placement *placement,
				   unsigned long tasks)
{
	int nodes = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE);
	unsigned long long **counters = calloc(tasks, sizeof(*counters));

	if (!counters)
		err(STATUS_FAILED, "cannot hold the counters of %lu tasks", tasks);
	for (int node = -1; node < nodes; node++)
		make_on_node(topology, placement, tasks, node, counters);
	return counters;
}

/* Their memory goes with the process: tasks that could not be killed may still count. */
void counters_free(unsigned long long **counters)
{
	free(counters);
}

struct snapshot snapshot_make(unsigned long tasks)
{
	struct snapshot snapshot = { .counts = calloc(tasks, sizeof(*snapshot.counts)) };

	if (!snapshot.counts)
		err(STATUS_FAILED, "cannot hold the counts of %lu tasks", tasks);
	return snapshot;
}

void snapshot_free(struct snapshot *snapshot)
{
	free(snapshot->counts);
	snapshot->counts = NULL;
}

/*
 * A reading takes some 10 ns a counter, most of it cache misses; twenty times that means it was
 * interrupted.
 */
static int64_t acceptable(unsigned long tasks)
{
	return 20000 + 200 * (int64_t)tasks;
}

void snapshot_take(struct snapshot *snapshot, unsigned long long *const *counters,
		   unsigned long tasks)
{
	int64_t start, end;
	int tries = 10;

	/*
	 * Stopped between two counters, it would see some tasks earlier than others: then it is
	 * read again.
	 */
	do {
		start = watch_now();
		for (unsigned long task = 0; task < tasks; task++)
			snapshot->counts[task] = __atomic_load_n(counters[task], __ATOMIC_RELAXED);
		end = watch_now();
	} while (end - start > acceptable(tasks) && --tries);
	snapshot->time = start + (end - start) / 2;
}
