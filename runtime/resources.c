/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <err.h>
#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cgroup.h"
#include "options.h"
#include "procfile.h"
#include "resources.h"
#include "team.h"

/*
 * Standard streams, the scratch directory's lock, the samples file, and what the C library opens
 * for a moment.
 */
enum { OWN_FILES = 10 };

/*
 * Of a task itself: its kernel stack, page tables, counter, and the part of the stack that is
 * faulted in.
 */
enum { TASK_MEMORY = 200 * 1024 };

/* A thread's stack, its guard page, and what the C library maps for its heap. */
enum { MAPPINGS_PER_THREAD = 4 };

static void refuse(unsigned long tasks, double needed, const char *what, double there,
		   const char *remedy)
{
	warnx("skipped: %lu tasks need %.0f %s, and there are %.0f: %s", tasks, needed, what, there,
	      remedy);
	exit(STATUS_SKIPPED);
}

static void check_files(unsigned long tasks, const struct testcase_needs *needs,
			unsigned int event_files)
{
	struct rlimit limit;
	double tasks_process = (double)needs->files * (mode_shares_process ? tasks : 1);
	double needed = OWN_FILES + fmax(tasks_process, (double)event_files * tasks);

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_max != RLIM_INFINITY && needed > limit.rlim_max)
		refuse(tasks, needed, "open files in a process", limit.rlim_max,
		       "raise the hard limit (ulimit -Hn)");
}

static void check_processes(unsigned long tasks, const struct testcase_needs *needs)
{
	/* Threads and processes of the whole machine: the number after the slash. */
	double existing = procfile_number("/proc/loadavg", "/");
	double made = 2 + (double)tasks * (1 + needs->partners);
	struct rlimit limit;
	double there;

	if (isinf(existing))
		existing = 0;
	there = procfile_number("/proc/sys/kernel/pid_max", "") - existing;
	if (made > there)
		refuse(tasks, made, "process numbers", there, "raise sysctl kernel.pid_max");
	there = procfile_number("/proc/sys/kernel/threads-max", "") - existing;
	if (made > there)
		refuse(tasks, made, "processes or threads", there,
		       "raise sysctl kernel.threads-max");
	there = cgroup_limit("pids", "pids.max", "pids.max");
	if (made > there)
		refuse(tasks, made, "processes or threads in the control group", there,
		       "raise its pids.max");
	/* The kernel does not hold root to this one. */
	if (geteuid() && !getrlimit(RLIMIT_NPROC, &limit) && limit.rlim_cur != RLIM_INFINITY &&
	    made > limit.rlim_cur)
		refuse(tasks, made, "processes or threads of this user", limit.rlim_cur,
		       "raise ulimit -u");
}

static void check_mappings(unsigned long tasks)
{
	double needed = 200 + (double)tasks * MAPPINGS_PER_THREAD;
	double there = procfile_number("/proc/sys/vm/max_map_count", "");

	if (mode_shares_process && needed > there)
		refuse(tasks, needed, "mappings in a process", there,
		       "raise sysctl vm.max_map_count");
}

static double available_memory(void)
{
	return fmin(1024 * procfile_number("/proc/meminfo", "MemAvailable:"),
		    cgroup_limit("memory", "memory.limit_in_bytes", "memory.max"));
}

static void check_memory(unsigned long tasks, const struct testcase_needs *needs)
{
	double needed = (double)tasks * (TASK_MEMORY + (double)needs->memory);
	double there = available_memory();

	if (needed > there)
		refuse(tasks, needed, "bytes of memory", there, "run fewer tasks (-t)");
}

void resources_check(unsigned long tasks, const struct testcase_needs *needs,
		     unsigned int event_files)
{
	check_files(tasks, needs, event_files);
	check_processes(tasks, needs);
	check_mappings(tasks);
	check_memory(tasks, needs);
}
