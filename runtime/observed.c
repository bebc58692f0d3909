/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "observed.h"
#include "options.h"

enum { FIRST_ROOM = 64 * 1024 };

struct text {
	char *bytes;
	size_t length, room;
	int error;			/* why it could not be read, 0: it was */
};

struct observed {
	struct observed *next;		/* in the order in which they were added */
	const char *path;
	struct text texts[NR_OBSERVED];
};

struct observed *observed_add(struct observed *list, const char *path)
{
	struct observed *added = calloc(1, sizeof(*added)), **end = &list;

	if (!added)
		err(STATUS_FAILED, "cannot hold the files to observe");
	added->path = path;
	while (*end)
		end = &(*end)->next;
	*end = added;
	return list;
}

static void grow(struct text *text)
{
	text->room = text->room ? 2 * text->room : FIRST_ROOM;
	text->bytes = realloc(text->bytes, text->room);
	if (!text->bytes)
		err(STATUS_FAILED, "cannot hold the files to observe");
}

static void read_text(const char *path, struct text *text)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = 0;

	*text = (struct text) { .error = file < 0 ? errno : 0 };
	if (file < 0)
		return;
	do {
		text->length += got;
		if (text->length == text->room)
			grow(text);
		got = read(file, text->bytes + text->length, text->room - text->length);
	} while (got > 0);
	if (got < 0)
		text->error = errno;
	close(file);
}

void observed_read(struct observed *list, enum observed_when when)
{
	for (; list; list = list->next)
		read_text(list->path, &list->texts[when]);
}

static void write_lines(const struct text *text, FILE *to)
{
	const char *at = text->bytes, *end = at + text->length;

	while (at < end) {
		const char *stop = memchr(at, '\n', end - at);

		if (!stop)
			stop = end;
		fputs("line ", to);
		fwrite(at, 1, stop - at, to);
		fputc('\n', to);
		at = stop + 1;
	}
}

void observed_write(const struct observed *list, FILE *to)
{
	static const char *const words[] = { "before", "after" };

	for (; list; list = list->next) {
		for (int when = 0; when < NR_OBSERVED; when++) {
			const struct text *text = &list->texts[when];

			fprintf(to, "file %s %s\n", words[when], list->path);
			if (text->error)
				fprintf(to, "unread %s\n", strerror(text->error));
			else
				write_lines(text, to);
		}
	}
}

void observed_free(struct observed *list)
{
	while (list) {
		struct observed *next = list->next;

		for (int when = 0; when < NR_OBSERVED; when++)
			free(list->texts[when].bytes);
		free(list);
		list = next;
	}
}
