/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description =
	"list /proc, and open, read and close stat and statm of every process, as top does";

const struct testcase_needs testcase_needs = { .files = 2 };

const struct testcase_option testcase_options[] = {
	{ "sleepers", "1000", "sleeping processes that are made for it to find" },
	{ 0 }
};

static unsigned long sleepers;
static pid_t *pids;

static void __attribute__((noreturn)) sleep_until_killed(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	while (1)
		pause();
}

void testcase_prepare(unsigned long nr_tasks)
{
	unsigned long wanted = option_number("sleepers");
	pid_t parent = getpid();

	pids = calloc(wanted + 1, sizeof(*pids));
	CHECK(pids);
	for (; sleepers < wanted; sleepers++) {
		pids[sleepers] = fork();
		if (!pids[sleepers])
			sleep_until_killed(parent);
		if (pids[sleepers] < 0) {
			int error = errno;

			testcase_cleanup();
			testcase_skip("cannot make %lu processes: %s: raise ulimit -u, or use "
				      "--option sleepers=NUMBER", wanted, strerror(error));
		}
	}
}

/* A process may end at any time, and some systems forbid to look at those of other users. */
static bool gone_or_forbidden(void)
{
	return errno == ENOENT || errno == ESRCH || errno == EPERM || errno == EACCES;
}

static void read_file(const char *pid, const char *name)
{
	char path[64], buffer[2048];
	int file;

	snprintf(path, sizeof(path), "/proc/%.20s/%s", pid, name);
	file = open(path, O_RDONLY);
	if (file < 0) {
		CHECK(gone_or_forbidden());
		return;
	}
	CHECK(read(file, buffer, sizeof(buffer)) > 0 || gone_or_forbidden());
	CHECK(close(file) == 0);
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	while (1) {
		DIR *proc = opendir("/proc");
		struct dirent *entry;

		CHECK(proc);
		while ((entry = readdir(proc))) {
			if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
				continue;
			read_file(entry->d_name, "stat");
			read_file(entry->d_name, "statm");
		}
		CHECK(closedir(proc) == 0);
		(*iterations)++;
	}
}

void testcase_cleanup(void)
{
	for (unsigned long nr = 0; nr < sleepers; nr++)
		kill(pids[nr], SIGKILL);
	for (unsigned long nr = 0; nr < sleepers; nr++)
		waitpid(pids[nr], NULL, 0);
}
