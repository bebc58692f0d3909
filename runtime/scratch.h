/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The run's scratch directory, and those that killed runs left behind. */
#ifndef OPSCALE_SCRATCH_H
#define OPSCALE_SCRATCH_H

/* Where scratch directories go unless told otherwise: a tmpfs if there is one. */
const char *scratch_default_folder(void);

/*
 * Removes the scratch directories of dead runs in the folder, then makes one for this run. It is
 * held by a lock that this process and its children share, so it counts as dead when the last of
 * them is gone. A folder in which none can be made is wrong usage and ends the program.
 */
void scratch_make(const char *folder);

/* Path of this run's scratch directory; empty before it is made. */
const char *scratch_root(void);

/*
 * Name of the file system that a path lies on, as in /proc/filesystems; its magic number in hex
 * where unknown.
 */
const char *scratch_filesystem(const char *path);

/*
 * Removes this run's scratch directory with all that is in it; exit() does it too.
 * Async-signal-safe, may be called again, does nothing in a child.
 */
void scratch_remove(void);

#endif
