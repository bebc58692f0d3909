/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "testcase.h"

#define BYTES (128UL << 20)
#define HUGE (2UL << 20)

char *testcase_description = "write fault of one anonymous huge page of 2 MiB, of 128 MiB";

const struct testcase_needs testcase_needs = { .memory = BYTES + HUGE };

/* Minor faults of this thread so far. */
static long faults(void)
{
	struct rusage usage;

	CHECK(getrusage(RUSAGE_THREAD, &usage) == 0);
	return usage.ru_minflt;
}

/* 128 MiB that huge pages fit into; *mapped: all that is mapped for it. */
static char *map(char **mapped)
{
	char *memory = mmap(NULL, BYTES + HUGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(memory != MAP_FAILED);
	*mapped = memory;
	memory += -(uintptr_t)memory & (HUGE - 1);
	if (madvise(memory, BYTES, MADV_HUGEPAGE))
		testcase_skip("MADV_HUGEPAGE: %m");
	return memory;
}

/* Where the second page of a huge one faults too, it was none. */
static void skip_without_huge_pages(void)
{
	char *mapped, *memory = map(&mapped);
	long before;

	*(volatile char *)memory = 1;
	before = faults();
	*(volatile char *)(memory + HUGE / 2) = 1;
	if (faults() != before)
		testcase_skip("no huge page (/sys/kernel/mm/transparent_hugepage/enabled)");
	CHECK(munmap(mapped, BYTES + HUGE) == 0);
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	skip_without_huge_pages();
	while (1) {
		char *mapped, *memory = map(&mapped);

		for (unsigned long at = 0; at < BYTES; at += HUGE) {
			*(volatile char *)(memory + at) = 1;
			(*iterations)++;
		}
		CHECK(munmap(mapped, BYTES + HUGE) == 0);
	}
}
