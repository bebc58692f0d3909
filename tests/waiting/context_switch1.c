/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "switch to a partner task or back: one byte through a pipe";

/* A partner that is a process inherits the maker's four descriptors. */
const struct testcase_needs testcase_needs = { .files = 4, .partners = 1 };

struct pipes {
	int to_partner[2], to_maker[2];
};

static void *partner(void *arg)
{
	const struct pipes *pipes = arg;
	char byte;

	while (1) {
		CHECK(read(pipes->to_partner[0], &byte, 1) == 1);
		CHECK(write(pipes->to_maker[1], &byte, 1) == 1);
	}
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	struct pipes pipes;
	char byte = 0;

	CHECK(pipe(pipes.to_partner) == 0);
	CHECK(pipe(pipes.to_maker) == 0);
	new_task(partner, &pipes);
	while (1) {
		CHECK(write(pipes.to_partner[1], &byte, 1) == 1);
		CHECK(read(pipes.to_maker[0], &byte, 1) == 1);
		(*iterations) += 2;
	}
}
