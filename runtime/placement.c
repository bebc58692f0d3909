/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "placement.h"

static const char *const policy_names[] = {
	[POLICY_CORES] = "cores",
	[POLICY_PUS] = "pus",
	[POLICY_SCATTER] = "scatter",
	[POLICY_COMPACT] = "compact",
	[POLICY_NONE] = "none",
};

const char *policy_name(enum policy policy)
{
	return policy <= POLICY_NONE ? policy_names[policy] : NULL;
}

/* Machines where hwloc finds no cores: a hardware thread is its own core. */
static hwloc_obj_t core_of(hwloc_topology_t topology, hwloc_obj_t pu)
{
	hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, pu);

	return core ? core : pu;
}

/* Position of a hardware thread among those of its core, from 0. */
static unsigned int sibling_rank(hwloc_topology_t topology, hwloc_obj_t pu)
{
	hwloc_obj_t core = core_of(topology, pu);
	unsigned int rank = 0;

	for (hwloc_obj_t other = pu->prev_cousin; other && core_of(topology, other) == core;
	     other = other->prev_cousin)
		rank++;
	return rank;
}

static hwloc_obj_t last_level_cache(hwloc_obj_t pu)
{
	hwloc_obj_t cache = NULL;

	for (hwloc_obj_t obj = pu->parent; obj; obj = obj->parent)
		if (hwloc_obj_type_is_dcache(obj->type))
			cache = obj;
	return cache;
}

/*
 * Appends the hardware threads below an object so that consecutive ones lie as far apart as the
 * tree allows: one from each child in turn. Returns how many there are.
 */
static unsigned int append_scattered(hwloc_obj_t obj, hwloc_obj_t *pus)
{
	unsigned int total = 0, taken = 0;
	unsigned int *ends;
	hwloc_obj_t *children;

	if (obj->type == HWLOC_OBJ_PU) {
		pus[0] = obj;
		return 1;
	}
	if (obj->arity == 1)
		return append_scattered(obj->children[0], pus);

	ends = calloc(obj->arity + 1, sizeof(*ends));
	children = calloc(hwloc_bitmap_weight(obj->cpuset) + 1, sizeof(*children));
	if (!ends || !children)
		goto out;
	for (unsigned int i = 0; i < obj->arity; i++) {
		total += append_scattered(obj->children[i], children + total);
		ends[i + 1] = total;
	}
	for (unsigned int turn = 0; taken < total; turn++)
		for (unsigned int i = 0; i < obj->arity; i++)
			if (ends[i] + turn < ends[i + 1])
				pus[taken++] = children[ends[i] + turn];
out:
	free(children);
	free(ends);
	return taken;
}

/*
 * Moves first threads of all cores to the front, then second ones and so on, keeping the order
 * within a rank.
 */
static int sort_by_rank(hwloc_topology_t topology, hwloc_obj_t *pus, unsigned int count)
{
	unsigned int *ranks = calloc(count, sizeof(*ranks));
	hwloc_obj_t *sorted = calloc(count, sizeof(*sorted));
	unsigned int done = 0;
	int ret = -1;

	if (!ranks || !sorted)
		goto out;
	for (unsigned int i = 0; i < count; i++)
		ranks[i] = sibling_rank(topology, pus[i]);
	for (unsigned int rank = 0; done < count; rank++)
		for (unsigned int i = 0; i < count; i++)
			if (ranks[i] == rank)
				sorted[done++] = pus[i];
	memcpy(pus, sorted, count * sizeof(*pus));
	ret = 0;
out:
	free(sorted);
	free(ranks);
	return ret;
}

/* hwloc's number of the CPU kind, -1 where it does not tell kinds apart. */
static int kind_of(hwloc_topology_t topology, hwloc_obj_t pu)
{
#if HWLOC_API_VERSION >= 0x00020400
	if (hwloc_cpukinds_get_nr(topology, 0) < 2)
		return -1;
	return hwloc_cpukinds_get_by_cpuset(topology, pu->cpuset, 0);
#else
	(void)topology, (void)pu;
	return -1;
#endif
}

static struct place place_of(hwloc_topology_t topology, hwloc_obj_t pu)
{
	hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, pu);
	hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, pu);
	hwloc_obj_t cache = last_level_cache(pu);
	int first_node = hwloc_bitmap_first(pu->nodeset);
	hwloc_obj_t node =
		first_node < 0 ? NULL : hwloc_get_numanode_obj_by_os_index(topology, first_node);

	return (struct place) {
		.cpuset = pu->cpuset,
		.cpu = pu->os_index,
		.core = core ? (int)core->logical_index : -1,
		.cache = cache ? (int)cache->logical_index : -1,
		.node = node ? (int)node->logical_index : -1,
		.package = package ? (int)package->logical_index : -1,
		.kind = kind_of(topology, pu),
	};
}

/* One place: everywhere. */
static void place_unbound(hwloc_topology_t topology, struct placement *placement)
{
	placement->count = 1;
	placement->places[0] = (struct place) {
		.cpuset = hwloc_topology_get_topology_cpuset(topology),
		.cpu = -1,
		.core = -1,
		.cache = -1,
		.node = -1,
		.package = -1,
		.kind = -1,
	};
}

/* pus: room for every hardware thread. */
static int place_bound(hwloc_topology_t topology, struct placement *placement, hwloc_obj_t *pus)
{
	unsigned int count = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);

	if (placement->policy == POLICY_SCATTER) {
		if (append_scattered(hwloc_get_root_obj(topology), pus) != count)
			return -1;
	} else {
		for (unsigned int i = 0; i < count; i++)
			pus[i] = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, i);
	}
	if (placement->policy == POLICY_CORES || placement->policy == POLICY_SCATTER)
		if (sort_by_rank(topology, pus, count))
			return -1;

	placement->count = count;
	for (unsigned int i = 0; i < count; i++)
		placement->places[i] = place_of(topology, pus[i]);
	return 0;
}

struct placement *placement_make(hwloc_topology_t topology, enum policy policy)
{
	unsigned int count = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
	hwloc_obj_t *pus = calloc(count, sizeof(*pus));
	struct placement *placement = calloc(1, sizeof(*placement));
	int error = -1;

	if (!pus || !placement)
		goto out;
	placement->policy = policy;
	placement->places = calloc(count, sizeof(*placement->places));
	if (!placement->places)
		goto out;
	if (policy == POLICY_NONE) {
		place_unbound(topology, placement);
		error = 0;
	} else {
		error = place_bound(topology, placement, pus);
	}
out:
	free(pus);
	if (error) {
		placement_free(placement);
		return NULL;
	}
	return placement;
}

void placement_free(struct placement *placement)
{
	if (placement)
		free(placement->places);
	free(placement);
}
