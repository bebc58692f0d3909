/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description = "write 1 byte to an own file that is watched, and read the event";

const struct testcase_needs testcase_needs = { .files = 2, .memory = 4096 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	const char *path = scratch_shared_file(1, "own-%lu", nr);
	int file = open(path, O_RDWR), watcher = inotify_init();
	struct inotify_event event;
	char byte = 0;

	CHECK(file >= 0);
	if (watcher < 0 || inotify_add_watch(watcher, path, IN_MODIFY) < 0)
		testcase_skip("inotify: %m (sysctl fs.inotify.max_user_instances)");

	while (1) {
		CHECK(pwrite(file, &byte, 1, 0) == 1);
		CHECK(read(watcher, &event, sizeof(event)) == sizeof(event));
		(*iterations)++;
	}
}
