/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "aside.h"

/* The core that a task's CPU belongs to, or the CPU alone where the machine tells of none. */
static hwloc_const_cpuset_t core_of(const struct run *run, const struct place *place)
{
	hwloc_obj_t core = place->core < 0 ? NULL : hwloc_get_obj_by_type(run->topology,
									  HWLOC_OBJ_CORE,
									  place->core);

	return core ? core->cpuset : place->cpuset;
}

/* Of the CPUs that the parent may run on. */
static hwloc_cpuset_t choose(const struct run *run, hwloc_const_cpuset_t allowed)
{
	hwloc_cpuset_t cores = hwloc_bitmap_dup(allowed), cpus = hwloc_bitmap_dup(allowed);
	unsigned long places = run->placement->count;
	const struct place *place = NULL;

	for (unsigned long task = 0; task < run->tasks && task < places; task++) {
		place = placement_of(run->placement, task);
		hwloc_bitmap_andnot(cores, cores, core_of(run, place));
		hwloc_bitmap_andnot(cpus, cpus, place->cpuset);
	}
	if (hwloc_bitmap_iszero(cores))
		hwloc_bitmap_copy(cores, hwloc_bitmap_iszero(cpus) ? place->cpuset : cpus);
	hwloc_bitmap_free(cpus);
	return cores;
}

void aside(const struct run *run, bool on)
{
	static hwloc_cpuset_t before;
	hwloc_cpuset_t chosen;

	if (!on) {
		if (before)
			hwloc_set_cpubind(run->topology, before, HWLOC_CPUBIND_THREAD);
		hwloc_bitmap_free(before);
		before = NULL;
		return;
	}
	if (!run->bind)
		return;
	before = hwloc_bitmap_alloc();
	if (!before || hwloc_get_cpubind(run->topology, before, HWLOC_CPUBIND_THREAD))
		return;
	chosen = choose(run, before);
	hwloc_set_cpubind(run->topology, chosen, HWLOC_CPUBIND_THREAD);
	hwloc_bitmap_free(chosen);
}
