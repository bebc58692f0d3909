/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgroup.h"
#include "procfile.h"

/* A comma-separated list, as "cpu,cpuacct", has the word. */
static bool lists(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += length)
		if ((at == list || at[-1] == ',') && (!at[length] || at[length] == ','))
			return true;
	return false;
}

/*
 * From the group up to the root of what is mounted here: a container may see only the lowest of its
 * path.
 */
static double tightest(const char *mount, char *group, const char *file)
{
	double limit = INFINITY;
	char path[PATH_MAX], *slash;

	for (;;) {
		if ((size_t)snprintf(path, sizeof(path), "%s%s/%s", mount, group, file) <
		    sizeof(path))
			limit = fmin(limit, procfile_number(path, ""));
		slash = strrchr(group, '/');
		if (!slash)
			return limit;
		*slash = '\0';
	}
}

double cgroup_limit(const char *controller, const char *file_v1, const char *file_v2)
{
	FILE *groups = fopen("/proc/self/cgroup", "re");
	double limit = INFINITY;
	char line[PATH_MAX], mount[64];

	if (!groups)
		return limit;
	/* hierarchy:controllers:path */
	while (fgets(line, sizeof(line), groups)) {
		char *controllers = strchr(line, ':'),
		     *path = controllers ? strchr(controllers + 1, ':') : NULL;

		if (!path)
			continue;
		*controllers++ = *path++ = '\0';
		path[strcspn(path, "\n")] = '\0';
		if (!*controllers) {
			limit = fmin(limit, tightest("/sys/fs/cgroup", path, file_v2));
		} else if (lists(controllers, controller)) {
			snprintf(mount, sizeof(mount), "/sys/fs/cgroup/%s", controller);
			limit = fmin(limit, tightest(mount, path, file_v1));
		}
	}
	fclose(groups);
	return limit;
}
