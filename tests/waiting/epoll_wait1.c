/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "testcase.h"

char *testcase_description = "epoll_wait for 1 own eventfd, ready";

const struct testcase_needs testcase_needs = { .files = 2 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	struct epoll_event event = { .events = EPOLLIN };
	int epoll = epoll_create1(0);
	int file = eventfd(1, 0);

	CHECK(epoll >= 0);
	CHECK(file >= 0);
	CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, file, &event) == 0);
	while (1) {
		CHECK(epoll_wait(epoll, &event, 1, -1) == 1);
		(*iterations)++;
	}
}
