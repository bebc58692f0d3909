/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests and answers; docs/formats.md, section 8. */
#ifndef OPSCALE_MESSAGES_H
#define OPSCALE_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { MOST_FIELDS = 1024 };

struct request {
	size_t count;
	char *fields[MOST_FIELDS + 1];	/* ends with NULL */
};

struct text {
	char *bytes;
	size_t length;
};

/* The text of a string, which is not copied. */
struct text text_of(char *string);

/*
 * The next request; false where there is none. One that is damaged ends the process: nobody could
 * tell where the next one begins.
 */
bool request_read(FILE *from, struct request *request);
void request_free(struct request *request);

/* Writes an answer at once; ends the process where that is impossible. */
void answer(FILE *to, size_t count, const struct text *fields);

#endif
