/* SPDX-License-Identifier: GPL-2.0-or-later */
/* As much of the encoding of x86-64 instructions as it takes to compare code of two kernels. */
#ifndef OPSCALE_X86_H
#define OPSCALE_X86_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The code of a function, and where the kernel's image lies; ends are exclusive. */
struct x86_bounds {
	uint64_t function, function_end;
	uint64_t image, image_end;
};

/* Whether it is a string instruction with a repeat prefix, which QEMU runs once per repetition. */
bool x86_repeats(const uint8_t *bytes, size_t size);

/*
 * A number for what an instruction at an address does: equal where two differ only in addresses, of
 * functions, data and per-CPU variables, which differ with everything that is linked before them.
 */
uint64_t x86_meaning(const uint8_t *bytes, size_t size, uint64_t address,
		     const struct x86_bounds *bounds);

#endif
