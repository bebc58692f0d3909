/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "event.h"

#ifdef HAVE_LIBPFM
#include <dlfcn.h>
#include <perfmon/pfmlib_perf_event.h>
#endif

#define UNKNOWN "there is no such event; `perf list` shows what there is"

const char event_defaults[] = "task-clock,context-switches,cpu-migrations,page-faults,cycles,"
			      "instructions,branch-misses,cache-misses,dTLB-load-misses";

static const struct named {
	const char *name;
	uint32_t type;
	uint64_t config;
} names[] = {
	{ "alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
	{ "stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
};

/* An event of a cache has one of each, joined by '-'. */
static const struct named caches[] = {
	{ "L1-dcache", PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_L1D },
	{ "L1-icache", PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_L1I },
	{ "LLC", PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_LL },
	{ "branch", PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_BPU },
	{ "dTLB", PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_DTLB },
	{ "iTLB", PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_ITLB },
	{ "node", PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_NODE },
};

/* The configuration's second and third byte. */
#define ACCESSES(operation) (PERF_COUNT_HW_CACHE_OP_##operation << 8)
#define MISSES(operation) (ACCESSES(operation) | PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

static const struct named accesses[] = {
	{ "load-misses", PERF_TYPE_HW_CACHE, MISSES(READ) },
	{ "loads", PERF_TYPE_HW_CACHE, ACCESSES(READ) },
	{ "prefetch-misses", PERF_TYPE_HW_CACHE, MISSES(PREFETCH) },
	{ "prefetches", PERF_TYPE_HW_CACHE, ACCESSES(PREFETCH) },
	{ "store-misses", PERF_TYPE_HW_CACHE, MISSES(WRITE) },
	{ "stores", PERF_TYPE_HW_CACHE, ACCESSES(WRITE) },
};

#define LENGTH(table) (sizeof(table) / sizeof((table)[0]))

static const struct named *find_named(const struct named *table, size_t length, const char *name)
{
	for (size_t i = 0; i < length; i++)
		if (!strcmp(table[i].name, name))
			return &table[i];
	return NULL;
}

static bool find_cache_event(const char *name, struct event *event)
{
	for (size_t i = 0; i < LENGTH(caches); i++) {
		size_t length = strlen(caches[i].name);
		const struct named *access;

		if (strncmp(name, caches[i].name, length) || name[length] != '-')
			continue;
		access = find_named(accesses, LENGTH(accesses), name + length + 1);
		if (!access)
			return false;
		*event = (struct event) { .type = PERF_TYPE_HW_CACHE,
					  .config = caches[i].config | access->config };
		return true;
	}
	return false;
}

static bool find_raw_event(const char *name, struct event *event)
{
	size_t digits = strspn(name + 1, "0123456789abcdefABCDEF");

	if (*name != 'r' || !digits || digits > 16 || name[1 + digits])
		return false;
	*event = (struct event) { .type = PERF_TYPE_RAW, .config = strtoull(name + 1, NULL, 16) };
	return true;
}

#ifdef HAVE_LIBPFM

#define PFM_LIBRARY "libpfm.so.4"

/*
 * Loaded when a name needs it: most runs need none, and testcases' programs are to work without the
 * library and start quickly.
 */
static const char *find_in_library(const char *name, struct event *event)
{
	struct perf_event_attr attributes = { .size = sizeof(attributes) };
	pfm_perf_encode_arg_t found = { .attr = &attributes, .size = sizeof(found) };
	__typeof__(pfm_initialize) *initialize;
	__typeof__(pfm_get_os_event_encoding) *encode;
	void *library = dlopen(PFM_LIBRARY, RTLD_NOW);

	if (!library)
		return "not one of perf's own names, and " PFM_LIBRARY " (Debian's package "
		       "libpfm4), which knows others, cannot be loaded";
	initialize = (__typeof__(initialize))dlsym(library, "pfm_initialize");
	encode = (__typeof__(encode))dlsym(library, "pfm_get_os_event_encoding");
	if (!initialize || !encode || initialize() != PFM_SUCCESS ||
	    encode(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &found) != PFM_SUCCESS)
		return UNKNOWN ", and libpfm4's `showevtinfo` more";
	*event = (struct event) { attributes.type, attributes.config, attributes.config1,
				  attributes.config2 };
	return NULL;
}

#else

static const char *find_in_library(const char *name, struct event *event)
{
	return UNKNOWN ", of which the programs know few by name: they were built without libpfm4";
}

#endif

const char *event_find(const char *name, struct event *event)
{
	const struct named *named = find_named(names, LENGTH(names), name);

	if (named) {
		*event = (struct event) { .type = named->type, .config = named->config };
		return NULL;
	}
	if (find_cache_event(name, event) || find_raw_event(name, event))
		return NULL;
	return find_in_library(name, event);
}

bool event_is_clock(const struct event *event)
{
	return event->type == PERF_TYPE_SOFTWARE && (event->config == PERF_COUNT_SW_TASK_CLOCK ||
						     event->config == PERF_COUNT_SW_CPU_CLOCK);
}

bool event_splits(const struct event *event)
{
	if (event->type == PERF_TYPE_TRACEPOINT)
		return false;
	/* What the scheduler does is always done in the kernel. */
	return event->type != PERF_TYPE_SOFTWARE ||
	       !(event_is_clock(event) || event->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		 event->config == PERF_COUNT_SW_CPU_MIGRATIONS);
}
