/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "messages.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>

struct text text_of(char *string)
{
	return (struct text) { .bytes = string, .length = strlen(string) };
}

/* A number that ends with the given character; false where the input ends before it. */
static bool read_number(FILE *from, char end, size_t *number)
{
	int digit;

	*number = 0;
	while ((digit = getc(from)) >= '0' && digit <= '9')
		*number = *number * 10 + (digit - '0');
	if (digit == EOF)
		return false;
	if (digit != end)
		errx(1, "a request is damaged: character %d instead of '%c'", digit, end);
	return true;
}

static char *read_field(FILE *from)
{
	size_t length;
	char *field;

	if (!read_number(from, ':', &length))
		errx(1, "a request ends in the middle");
	field = calloc(1, length + 1);
	if (!field || fread(field, 1, length, from) != length)
		errx(1, "a request ends in the middle");
	return field;
}

bool request_read(FILE *from, struct request *request)
{
	*request = (struct request) { 0 };
	if (!read_number(from, '\n', &request->count))
		return false;
	if (request->count < 1 || request->count > MOST_FIELDS)
		errx(1, "a request of %zu fields; 1 to %d are possible", request->count,
		     MOST_FIELDS);
	for (size_t i = 0; i < request->count; i++)
		request->fields[i] = read_field(from);
	return true;
}

void request_free(struct request *request)
{
	for (size_t i = 0; i < request->count; i++)
		free(request->fields[i]);
}

void answer(FILE *to, size_t count, const struct text *fields)
{
	fprintf(to, "%zu\n", count);
	for (size_t i = 0; i < count; i++) {
		fprintf(to, "%zu:", fields[i].length);
		fwrite(fields[i].bytes, 1, fields[i].length, to);
	}
	if (fflush(to))
		err(1, "cannot answer");
}
