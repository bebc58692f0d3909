/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "switch to a partner task or back: 8 bytes through an eventfd";

const struct testcase_needs testcase_needs = { .files = 2, .partners = 1 };

struct events {
	int to_partner, to_maker;
};

static void *partner(void *arg)
{
	const struct events *events = arg;
	uint64_t value;

	while (1) {
		CHECK(read(events->to_partner, &value, sizeof(value)) == sizeof(value));
		CHECK(write(events->to_maker, &value, sizeof(value)) == sizeof(value));
	}
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	struct events events = { eventfd(0, 0), eventfd(0, 0) };
	uint64_t value = 1;

	CHECK(events.to_partner >= 0 && events.to_maker >= 0);
	new_task(partner, &events);
	while (1) {
		CHECK(write(events.to_partner, &value, sizeof(value)) == sizeof(value));
		CHECK(read(events.to_maker, &value, sizeof(value)) == sizeof(value));
		(*iterations) += 2;
	}
}
