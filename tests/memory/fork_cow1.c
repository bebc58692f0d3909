/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "testcase.h"

#define PAGES 128

char *testcase_description =
	"fork of a child that writes to 128 pages shared with its parent and exits, and wait";

const struct testcase_needs testcase_needs = { .partners = 1, .memory = 1 << 20 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	unsigned long page = sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(memory != MAP_FAILED);
	/* Where tasks' memory lies side by side, a huge page may fit; EINVAL: there are none. */
	CHECK(madvise(memory, PAGES * page, MADV_NOHUGEPAGE) == 0 || errno == EINVAL);
	memset(memory, 1, PAGES * page);

	while (1) {
		pid_t child = fork();
		int status;

		CHECK(child >= 0);
		if (!child) {
			for (unsigned long at = 0; at < PAGES * page; at += page)
				*(volatile char *)(memory + at) = 2;
			_exit(0);
		}
		CHECK(waitpid(child, &status, 0) == child && status == 0);
		(*iterations)++;
	}
}
