/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program opscale-child, for testcases that measure what it takes to run a program: it does
 * nothing, or reads the file that its argument names, as cat would.
 */
#include "config.h"

#include <err.h>
#include <fcntl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static char buffer[64 << 10];
	ssize_t bytes;
	int file;

	if (argc < 2)
		return 0;
	file = open(argv[1], O_RDONLY);
	if (file < 0)
		err(1, "%s", argv[1]);
	do {
		bytes = read(file, buffer, sizeof(buffer));
	} while (bytes > 0);
	if (bytes < 0)
		err(1, "%s", argv[1]);
	return 0;
}
