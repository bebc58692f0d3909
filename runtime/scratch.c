/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "options.h"
#include "scratch.h"

#define PREFIX "opscale-run-"

/* Held as long as the run lives; only a directory that has one is ever taken for a dead run's. */
#define LOCK ".opscale-lock"

static char root[PATH_MAX];
static pid_t owner;

static bool usable(const char *folder)
{
	return folder && *folder && !access(folder, W_OK | X_OK);
}

const char *scratch_default_folder(void)
{
	const char *tmpdir = getenv("TMPDIR");

	if (usable("/dev/shm"))
		return "/dev/shm";
	return usable(tmpdir) ? tmpdir : "/tmp";
}

static int open_directory(int at, const char *name)
{
	return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/*
 * As the system call returns it; the C library's readdir allocates, which a signal handler must
 * not.
 */
struct entry {
	uint64_t inode;
	int64_t offset;
	unsigned short length;
	unsigned char type;
	char name[];
};

static bool remove_entry(int directory, const char *name);

/* Removes what an open directory holds, the lock excepted. Async-signal-safe. */
static void remove_content(int directory)
{
	char buffer[2048] __attribute__((aligned(8)));
	bool removed;
	long bytes;

	do {
		removed = false;
		lseek(directory, 0, SEEK_SET);
		while ((bytes = syscall(SYS_getdents64, directory, buffer, sizeof(buffer))) > 0) {
			struct entry *entry;

			for (long at = 0; at < bytes; at += entry->length) {
				entry = (struct entry *)(buffer + at);
				if (remove_entry(directory, entry->name))
					removed = true;
			}
		}
		/* Entries may move while others go: look again until a pass finds nothing to do. */
	} while (removed);
}

/* False for what stays: the directory itself, its parent, the lock, and what cannot be removed. */
static bool remove_entry(int directory, const char *name)
{
	int child;

	if (!strcmp(name, ".") || !strcmp(name, "..") || !strcmp(name, LOCK))
		return false;
	if (!unlinkat(directory, name, 0))
		return true;
	child = open_directory(directory, name);
	if (child >= 0) {
		remove_content(child);
		close(child);
	}
	return !unlinkat(directory, name, AT_REMOVEDIR);
}

/* The lock goes last: a removal that is cut short can be finished by the next run. */
static void remove_locked(int at, const char *name)
{
	int directory = open_directory(at, name);

	if (directory >= 0) {
		remove_content(directory);
		unlinkat(directory, LOCK, 0);
		close(directory);
	}
	unlinkat(at, name, AT_REMOVEDIR);
}

void scratch_remove(void)
{
	/* A task that calls exit() has inherited the exit handler, not the directory. */
	if (*root && getpid() == owner)
		remove_locked(AT_FDCWD, root);
}

/*
 * Takes the lock of an open directory, and returns its descriptor. -1 and errno where there is none
 * or it cannot be had; EWOULDBLOCK: another run has it, or had it and removed it.
 */
static int take_lock(int directory, int flags)
{
	int lock = openat(directory, LOCK, O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags, 0600), error = 0;
	struct stat status;

	if (lock < 0)
		return -1;
	if (flock(lock, LOCK_EX | LOCK_NB) || fstat(lock, &status))
		error = errno;
	else if (!status.st_nlink)
		error = EWOULDBLOCK;
	if (!error)
		return lock;
	close(lock);
	errno = error;
	return -1;
}

static void remove_if_dead(int folder, const char *name)
{
	int directory = open_directory(folder, name), lock;
	struct stat status;

	if (directory < 0)
		return;
	if (!fstat(directory, &status) && status.st_uid == geteuid()) {
		lock = take_lock(directory, 0);
		if (lock >= 0) {
			remove_locked(folder, name);
			close(lock);
		} else if (errno == ENOENT) {
			/* Killed before it had a lock: then it holds nothing, or it is none of ours. */
			unlinkat(folder, name, AT_REMOVEDIR);
		}
	}
	close(directory);
}

static void remove_dead(const char *folder)
{
	DIR *stream = opendir(folder);
	struct dirent *entry;

	if (!stream)
		return;
	while ((entry = readdir(stream)))
		if (!strncmp(entry->d_name, PREFIX, strlen(PREFIX)))
			remove_if_dead(dirfd(stream), entry->d_name);
	closedir(stream);
}

/* Makes root from the folder, and its lock; the error number where that fails. */
static int make_root(const char *folder)
{
	int directory, error;

	if ((size_t)snprintf(root, sizeof(root), "%s/" PREFIX "XXXXXX", folder) >= sizeof(root))
		return ENAMETOOLONG;
	if (!mkdtemp(root))
		return errno;
	directory = open_directory(AT_FDCWD, root);
	error = directory < 0 || take_lock(directory, O_CREAT) < 0 ? errno : 0;
	/* Another run has taken it for one that was left empty. */
	if (error == ENOENT)
		error = EWOULDBLOCK;
	if (directory >= 0)
		close(directory);
	if (error)
		remove_locked(AT_FDCWD, root);
	return error;
}

void scratch_make(const char *folder)
{
	int error;

	owner = getpid();
	remove_dead(folder);
	/* Another run may take a new one for dead before it is locked: then the next one is made. */
	do {
		error = make_root(folder);
	} while (error == EWOULDBLOCK);
	if (error) {
		*root = '\0';
		usage_error("--dir %s: cannot make a directory there: %s", folder, strerror(error));
	}
	atexit(scratch_remove);
}

const char *scratch_root(void)
{
	return root;
}

const char *scratch_filesystem(const char *path)
{
	static const struct {
		unsigned long magic;
		const char *name;
	} known[] = {
		{ 0x9123683e, "btrfs" },      { 0x00c36400, "ceph" },	 { 0xff534d42, "cifs" },
		{ EXT4_SUPER_MAGIC, "ext4" }, { 0xf2f52010, "f2fs" },	 { 0x65735546, "fuse" },
		{ NFS_SUPER_MAGIC, "nfs" },   { 0x794c7630, "overlay" }, { 0x858458f6, "ramfs" },
		{ TMPFS_MAGIC, "tmpfs" },     { 0x58465342, "xfs" },	 { 0x2fc12fc1, "zfs" },
	};
	static char unknown[24];
	struct statfs status;

	if (statfs(path, &status))
		return "unknown";
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (((unsigned long)status.f_type & 0xffffffff) == known[i].magic)
			return known[i].name;
	snprintf(unknown, sizeof(unknown), "0x%lx", (unsigned long)status.f_type);
	return unknown;
}
