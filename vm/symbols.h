/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A kernel's functions by address, from a System.map or the lines of /proc/kallsyms. */
#ifndef OPSCALE_SYMBOLS_H
#define OPSCALE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
	uint64_t address;
	char *name;
	bool interrupt;			/* where an interrupt from a device or a timer enters */
};

struct symbols {
	size_t count;
	struct symbol *list;		/* by address, each one once; the first one is for all else */
};

/* Symbols of a file; on failure the plugin cannot work, and QEMU is ended with a message. */
struct symbols symbols_read(const char *path);

/* Number of the function that an address lies in; 0 for one in none. */
size_t symbols_find(const struct symbols *symbols, uint64_t address);

#endif
