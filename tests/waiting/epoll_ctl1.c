/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "testcase.h"

char *testcase_description = "add an own eventfd to an own epoll and delete it";

const struct testcase_needs testcase_needs = { .files = 2 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	struct epoll_event event = { .events = EPOLLIN };
	int epoll = epoll_create1(0);
	int file = eventfd(0, 0);

	CHECK(epoll >= 0);
	CHECK(file >= 0);
	while (1) {
		CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, file, &event) == 0);
		CHECK(epoll_ctl(epoll, EPOLL_CTL_DEL, file, NULL) == 0);
		(*iterations)++;
	}
}
