/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Single numbers out of the kernel's text files. */
#ifndef OPSCALE_PROCFILE_H
#define OPSCALE_PROCFILE_H

/*
 * The number that stands after the first such mark ("": at the start); infinite where it is
 * missing, or the file is, or a word stands there, as in a limit that says max.
 */
double procfile_number(const char *path, const char *mark);

#endif
