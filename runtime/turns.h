/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Taking turns with another program: two runs live on the same CPUs, and the tasks of only one of
 * them are let run at a time. The two programs hold the ends of a socket, over which they pass the
 * turn; docs/formats.md describes it.
 */
#ifndef OPSCALE_TURNS_H
#define OPSCALE_TURNS_H

#include <stdbool.h>
#include <stdint.h>

struct run;
struct team;

struct turns {
	enum { TURNS_NONE, TURNS_FIRST, TURNS_SECOND } role;
	int socket;
	int64_t slice;			/* ns; both programs' is the longer one of what they ask for */
};

/*
 * Of first:DESCRIPTOR or second:DESCRIPTOR, from the command line; anything else, and a descriptor
 * that is no socket, is wrong usage and ends the program.
 */
struct turns turns_parse(const char *text);

/* Waits for the turn. False, with a verdict, where it can no more come or the run has ended. */
bool turns_await(struct turns *turns, const struct run *run, struct team *team);

/* Gives it to the other program. False, with a verdict, where that has ended. */
bool turns_pass(const struct turns *turns, const struct run *run);

/*
 * How many slices are to be run back to back in the turn with this number, from 0, of so many
 * slices in all, which are even: A BB AA ... BB A. 0: there is no such turn. With the slices in
 * this order, any steady drift of the machine is the same for both programs.
 */
unsigned long turns_slices(const struct turns *turns, unsigned long turn, unsigned long slices);

#endif
