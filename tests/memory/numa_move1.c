/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "move_pages of one own page to another NUMA node";

/* The first two nodes that this process may take memory from; skips where there is one. */
static void find_nodes(int nodes[2])
{
	enum { BITS = 8 * sizeof(unsigned long), WORDS = 1024 / BITS };
	unsigned long allowed[WORDS] = { 0 };
	int found = 0;

	if (syscall(SYS_get_mempolicy, NULL, allowed, 8 * sizeof(allowed), NULL,
		    MPOL_F_MEMS_ALLOWED))
		testcase_skip("get_mempolicy: %m");
	for (int node = 0; node < WORDS * BITS && found < 2; node++)
		if (allowed[node / BITS] >> node % BITS & 1)
			nodes[found++] = node;
	if (found < 2)
		testcase_skip("there is one NUMA node only");
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	long page = sysconf(_SC_PAGESIZE);
	void *memory = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int nodes[2], status, turn;

	CHECK(memory != MAP_FAILED);
	/* NUMA balancing hides pages from move_pages now and then, but none that has a policy. */
	if (syscall(SYS_mbind, memory, page, MPOL_LOCAL, NULL, 0, 0))
		testcase_skip("mbind: %m");
	*(volatile char *)memory = 1;
	/* Without nodes to move to, it tells where the page is. */
	if (syscall(SYS_move_pages, 0, 1UL, &memory, NULL, &status, 0))
		testcase_skip("move_pages: %m");
	find_nodes(nodes);
	turn = status == nodes[1];

	while (1) {
		turn = !turn;
		CHECK(syscall(SYS_move_pages, 0, 1UL, &memory, &nodes[turn], &status,
			      MPOL_MF_MOVE) == 0);
		CHECK(status == nodes[turn]);
		(*iterations)++;
	}
}
