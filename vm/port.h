/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The second serial port, over which the world outside asks and is answered. */
#ifndef OPSCALE_PORT_H
#define OPSCALE_PORT_H

#include <stdio.h>

#define PORT "/dev/ttyS1"

/* Its descriptor, for bytes as they are; ends the process where the kernel has no such port. */
int port_open(void);

/* A stream that writes to it; NULL on failure. */
FILE *port_output(int port);

#endif
