/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the contract offers to a testcase's code: checks, skips, shared memory, scratch files. */
#include "config.h"

#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "scratch.h"
#include "tasks.h"
#include "testcase.h"

void check_failed(const char *file, int line, const char *condition, int error)
{
	/* Tools that read logs look for "Assertion ... failed". */
	if (error)
		task_verdict(VERDICT_FAILED, "%s:%d: Assertion `%s' failed: %s (errno %d)", file,
			     line, condition, strerror(error), error);
	task_verdict(VERDICT_FAILED, "%s:%d: Assertion `%s' failed", file, line, condition);
}

void testcase_skip(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	task_verdict_va(VERDICT_SKIPPED, format, arguments);
}

void testcase_fail(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	task_verdict_va(VERDICT_FAILED, format, arguments);
}

int open_or_skip(const char *path, int flags)
{
	int file = open(path, flags | O_CLOEXEC);

	if (file < 0)
		testcase_skip("cannot open %s: %m", path);
	return file;
}

const char *child_program(void)
{
	static char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - sizeof("opscale-child"));
	char *name;

	path[length > 0 ? length : 0] = '\0';
	name = strrchr(path, '/');
	strcpy(name ? name + 1 : path, "opscale-child");
	if (access(path, X_OK))
		testcase_skip("cannot run %s: %m", path);
	return path;
}

void *shared_memory(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		task_verdict(VERDICT_FAILED, "cannot map %zu bytes of shared memory: %m", bytes);
	return memory;
}

static __attribute__((format(printf, 1, 0))) char *path_va(const char *format, va_list arguments)
{
	char *name, *path;

	if (vasprintf(&name, format, arguments) < 0 ||
	    asprintf(&path, "%s/%s", scratch_root(), name) < 0)
		task_verdict(VERDICT_FAILED, "cannot hold a path in the scratch directory");
	free(name);
	return path;
}

char *scratch_path(const char *format, ...)
{
	va_list arguments;
	char *path;

	va_start(arguments, format);
	path = path_va(format, arguments);
	va_end(arguments);
	return path;
}

/* A folder that is full is this machine's lack, and no fault of the run. */
static enum verdict verdict_of(int error)
{
	return error == ENOSPC || error == EDQUOT ? VERDICT_SKIPPED : VERDICT_FAILED;
}

char *scratch_directory(const char *format, ...)
{
	va_list arguments;
	char *path;

	va_start(arguments, format);
	path = path_va(format, arguments);
	va_end(arguments);
	if (mkdir(path, 0700))
		task_verdict(verdict_of(errno), "cannot make the directory %s: %m", path);
	return path;
}

/* Written with other bytes than 0, so that no layer below can leave it out. */
static void fill(int file, size_t bytes, const char *path)
{
	char block[4096];

	memset(block, 'o', sizeof(block));
	while (bytes) {
		ssize_t done = write(file, block, bytes < sizeof(block) ? bytes : sizeof(block));

		if (done <= 0)
			task_verdict(verdict_of(errno), "cannot write %zu bytes more to %s: %m",
				     bytes, path);
		bytes -= done;
	}
	if (lseek(file, 0, SEEK_SET))
		task_verdict(VERDICT_FAILED, "cannot rewind %s: %m", path);
}

char *scratch_shared_file(size_t bytes, const char *format, ...)
{
	va_list arguments;
	char *path;
	int file;

	va_start(arguments, format);
	path = path_va(format, arguments);
	va_end(arguments);
	file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (file < 0)
		task_verdict(verdict_of(errno), "cannot make the file %s: %m", path);
	fill(file, bytes, path);
	close(file);
	return path;
}

void scratch_room(unsigned long long bytes, unsigned long long files)
{
	struct statvfs there;
	double room;

	if (statvfs(scratch_root(), &there))
		task_verdict(VERDICT_FAILED, "cannot ask %s for room: %m", scratch_root());
	/* A file system without a limit says 0 of 0. */
	room = (double)there.f_bavail * there.f_frsize;
	if (there.f_blocks && room < bytes)
		testcase_skip("scratch files need %llu bytes, and there is room for %.0f: --dir "
			      "names another folder", bytes, room);
	if (there.f_files && there.f_favail < files)
		testcase_skip("%llu scratch files are needed, and there is room for %llu: --dir "
			      "names another folder", files, (unsigned long long)there.f_favail);
}

int scratch_file(size_t bytes)
{
	char *path = scratch_path("XXXXXX");
	int file = mkostemp(path, O_CLOEXEC);

	if (file < 0)
		task_verdict(verdict_of(errno), "cannot make a file in %s: %m", scratch_root());
	if (unlink(path))
		task_verdict(VERDICT_FAILED, "cannot unlink %s: %m", path);
	fill(file, bytes, path);
	free(path);
	return file;
}
