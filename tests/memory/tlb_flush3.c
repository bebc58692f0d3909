/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "testcase.h"

#define BYTES (128UL << 20)

char *testcase_description =
	"write to a page of an own 128 MiB file, MADV_DONTNEED of it, read it; shared mapping";

const struct testcase_needs testcase_needs = { .files = 1, .memory = BYTES };

void testcase_prepare(unsigned long nr_tasks)
{
	scratch_room(nr_tasks * BYTES, nr_tasks);
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	unsigned long page = sysconf(_SC_PAGESIZE);
	int file = scratch_file(0);

	CHECK(ftruncate(file, BYTES) == 0);

	while (1) {
		char *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

		CHECK(memory != MAP_FAILED);
		for (unsigned long at = 0; at < BYTES; at += page) {
			volatile char *byte = memory + at;

			*byte = 1;
			CHECK(madvise(memory + at, page, MADV_DONTNEED) == 0);
			CHECK(*byte == 1);
			(*iterations)++;
		}
		CHECK(munmap(memory, BYTES) == 0);
	}
}
