/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "write 1 byte to an own file that is watched, and read the event";

const struct testcase_needs testcase_needs = { .files = 2, .memory = 4096 };

void testcase_prepare(unsigned long nr_tasks)
{
	int file = open_or_skip("/proc/sys/fs/inotify/max_user_instances", O_RDONLY);
	char limit[32] = { 0 };

	CHECK(read(file, limit, sizeof(limit) - 1) > 0);
	CHECK(close(file) == 0);
	if (strtoul(limit, NULL, 10) < nr_tasks)
		testcase_skip("%lu tasks need an inotify instance each, and sysctl "
			      "fs.inotify.max_user_instances is %lu", nr_tasks,
			      strtoul(limit, NULL, 10));
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	const char *path = scratch_shared_file(1, "own-%lu", nr);
	int file = open(path, O_RDWR), watcher = inotify_init();
	struct inotify_event event;
	char byte = 0;

	CHECK(file >= 0);
	if (watcher < 0 || inotify_add_watch(watcher, path, IN_MODIFY) < 0)
		testcase_skip("inotify, see sysctls fs.inotify.max_user_instances and "
			      "fs.inotify.max_user_watches: %m");

	while (1) {
		CHECK(pwrite(file, &byte, 1, 0) == 1);
		CHECK(read(watcher, &event, sizeof(event)) == sizeof(event));
		(*iterations)++;
	}
}
