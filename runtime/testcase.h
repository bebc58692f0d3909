/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contract between a testcase and the runtime; docs/writing-a-testcase.md explains it with
 * examples.
 *
 * A testcase is one C file. It defines testcase_description and testcase(), and whichever of the
 * other names below it wants. A file written for will-it-scale defines the same names without this
 * header and needs no change.
 */
#ifndef OPSCALE_TESTCASE_H
#define OPSCALE_TESTCASE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

/* One line: what one operation is. */
extern char *testcase_description;

/*
 * The measured loop, called once in each task and never to return. One operation ends with
 * (*iterations)++, a plain store that nobody else makes. Tasks are numbered from 0.
 */
void testcase(unsigned long long *iterations, unsigned long nr);

/*
 * Optional. Run in the parent process before the first task is made, and after the last one is
 * gone.
 */
void testcase_prepare(unsigned long nr_tasks);
void testcase_cleanup(void);

/*
 * To be called by a task: starts a partner that runs func(arg), a process or a thread as its maker
 * is, on the maker's CPU. It ends with the run, or when func returns. Whatever arg points to must
 * live as long as the maker.
 */
void new_task(void *(func)(void *), void *arg);

/*
 * Optional: what a task needs, so that a run that does not fit is refused before it starts. Zero
 * where unknown.
 */
struct testcase_needs {
	unsigned long files;		/* descriptors a task holds open at the same time */
	unsigned long partners;		/* partners a task makes */
	unsigned long long memory; /* bytes a task touches; what is only mapped does not count */
	/*
	 * The task cannot be stopped and continued, as those of two programs that run in turns are:
	 * a call of the loop would fail with EINTR, or it waits in vfork(), where nothing stops it.
	 */
	bool whole_runs;
};
extern const struct testcase_needs testcase_needs;

/*
 * Optional: settings that --option NAME=VALUE changes, ended by an empty entry. Where the default
 * is a whole number, only whole numbers are accepted.
 */
struct testcase_option {
	const char *name;
	const char *value;		/* the default */
	const char *help;
};
extern const struct testcase_option testcase_options[];

const char *option_text(const char *name);
unsigned long long option_number(const char *name);

/*
 * Fails the run and names file, line, condition and errno; for calls that set errno. CHECK_ERROR is
 * for calls that return an error number instead, as the pthread ones do. Neither is ever compiled
 * out.
 */
#define CHECK(condition) \
	do { \
		if (__builtin_expect(!(condition), 0)) \
			check_failed(__FILE__, __LINE__, #condition, errno); \
	} while (0)
#define CHECK_ERROR(call) \
	do { \
		int check_error_ = (call); \
\
		if (__builtin_expect(check_error_ != 0, 0)) \
			check_failed(__FILE__, __LINE__, #call, check_error_); \
	} while (0)
void check_failed(const char *file, int line, const char *condition, int error)
	__attribute__((noreturn, cold));

/* Ends the run with status 77: this machine cannot run the testcase, for the reason given. */
void testcase_skip(const char *format, ...) __attribute__((noreturn, cold, format(printf, 1, 2)));

/* Fails the run, for the reason given. */
void testcase_fail(const char *format, ...) __attribute__((noreturn, cold, format(printf, 1, 2)));

/*
 * Opens an existing file; skips where this machine does not have it or does not let it be opened.
 */
int open_or_skip(const char *path, int flags);

/*
 * For buffers that the kernel copies to or from: at some offsets in a page it does so at a third of
 * the speed (seen on an AMD EPYC, 16 bytes beyond a page's start).
 */
#define ALIGNED __attribute__((aligned(64)))

/* Reads an open file from its start to its end, as monitoring tools read the kernel's texts. */
static inline void read_whole(int file)
{
	char buffer[64 << 10] ALIGNED;
	off_t at = 0;
	ssize_t bytes;

	while ((bytes = pread(file, buffer, sizeof(buffer), at)) > 0)
		at += bytes;
	CHECK(bytes == 0 && at > 0);
}

/*
 * Path of a small program that does nothing, or reads the file that its first argument names; skips
 * where it does not lie beside the testcase's own program. Not for several threads at once: to be
 * called in testcase_prepare().
 */
const char *child_program(void);

/*
 * Zeroed memory, page aligned, shared with all processes made later: from testcase_prepare() it is
 * that of all tasks, from testcase() that of a task and its partners.
 */
void *shared_memory(size_t bytes);

/*
 * The run's scratch directory lies on a tmpfs unless the user names another folder, and is removed
 * after the run. Each of these fails the run where it cannot do its work, or skips where the folder
 * is full; the strings live until the process ends.
 */

/* A path in the scratch directory; nothing is made there. */
char *scratch_path(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Makes a directory in the scratch directory; its path. */
char *scratch_directory(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Makes a file of the given size, written and not sparse, that other tasks can open too; its path.
 */
char *scratch_shared_file(size_t bytes, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * For testcase_prepare(): skips where the folder has no room for so many bytes, or files, of all
 * tasks together. A page fault that finds none kills the task.
 */
void scratch_room(unsigned long long bytes, unsigned long long files);

/*
 * Opens a new file of the given size, written and not sparse, for reading and writing. It has no
 * name: it is own.
 */
int scratch_file(size_t bytes);

/* Where the testcase came from, for --describe and the groups of a listing. */
#ifdef OPSCALE_RUNTIME
extern const char testcase_source[];
#else
const char testcase_source[] __attribute__((weak)) = __BASE_FILE__;
#endif

#endif
