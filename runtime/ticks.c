/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "ticks.h"

struct ticks ticks_read(void)
{
	struct ticks ticks = { { 0 } };
	unsigned long long *value = ticks.value;
	char line[512] = "";
	int file = open("/proc/stat", O_RDONLY | O_CLOEXEC);

	if (file < 0)
		return ticks;
	/* Its first line sums up all CPUs. Fields that an old kernel lacks stay 0. */
	if (read(file, line, sizeof(line) - 1) > 0)
		sscanf(line, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &value[0], &value[1],
		       &value[2], &value[3], &value[4], &value[5], &value[6], &value[7]);
	close(file);
	return ticks;
}

struct ticks ticks_between(const struct ticks *before, const struct ticks *after)
{
	struct ticks difference;

	/* The kernel's idle and iowait may go back a little. */
	for (int i = 0; i < NR_TICKS; i++)
		difference.value[i] =
			after->value[i] > before->value[i] ? after->value[i] - before->value[i] : 0;
	return difference;
}
