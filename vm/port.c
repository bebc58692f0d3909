/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "port.h"

#include <err.h>
#include <fcntl.h>
#include <sys/io.h>
#include <termios.h>

/* The registers, as every PC has them: what is to be sent, and the state of the line. */
enum { PORT_BASE = 0x2f8, PORT_STATE = PORT_BASE + 5, PORT_REGISTERS = 8 };
enum { PORT_EMPTY = 0x20, PORT_ROOM = 16 };

int port_open(void)
{
	int file = open(PORT, O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct termios settings;

	if (file < 0 || tcgetattr(file, &settings))
		err(1, "the kernel has no %s: it needs CONFIG_SERIAL_8250", PORT);
	cfmakeraw(&settings);
	cfsetspeed(&settings, B115200);
	if (tcsetattr(file, TCSANOW, &settings))
		err(1, "cannot prepare %s", PORT);
	return file;
}

/*
 * Writes to the port's own registers: the driver, which is idle meanwhile, takes an interrupt for
 * every few bytes, and minutes for the megabytes of a kernel's symbols. The permission is not kept:
 * programs would inherit it, and every system call of theirs take longer.
 */
static ssize_t write_directly(void *cookie, const char *bytes, size_t count)
{
	ioperm(PORT_BASE, PORT_REGISTERS, 1);
	for (size_t i = 0; i < count; i++) {
		while (i % PORT_ROOM == 0 && !(inb(PORT_STATE) & PORT_EMPTY))
			;
		outb(bytes[i], PORT_BASE);
	}
	ioperm(PORT_BASE, PORT_REGISTERS, 0);
	return count;
}

FILE *port_output(int port)
{
	if (ioperm(PORT_BASE, PORT_REGISTERS, 1))
		return fdopen(port, "w");
	ioperm(PORT_BASE, PORT_REGISTERS, 0);
	return fopencookie(NULL, "w", (cookie_io_functions_t) { .write = write_directly });
}
