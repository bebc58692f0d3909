/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "marker.h"
#include "recorder.h"
#include "window.h"

struct window window_prepare(const struct options *options, const struct run *run)
{
	return (struct window) {
		.run = run,
		.observed = options->observed,
		.events = events_open(options->events, run),
		.recorder = options->recorder,
	};
}

/* What takes long comes first: the rest is to be as near to the measurement as it can be. */
void window_open(struct window *window)
{
	recorder_switch(window->recorder, true);
	observed_read(window->observed, OBSERVED_BEFORE);
	window->ticks = ticks_read();
	events_begin(window->events);
	marker_open(window->run->counters[0]);
}

void window_close(struct window *window)
{
	struct ticks now;

	marker_close();
	events_end(window->events);
	now = ticks_read();
	window->ticks = ticks_between(&window->ticks, &now);
	observed_read(window->observed, OBSERVED_AFTER);
	recorder_switch(window->recorder, false);
}

void window_write(const struct window *window, FILE *to)
{
	fputs("cpu", to);
	for (int i = 0; i < NR_TICKS; i++)
		fprintf(to, " %llu", window->ticks.value[i]);
	fputc('\n', to);
	events_write(window->events, to);
	observed_write(window->observed, to);
}

void window_free(struct window *window)
{
	events_close(window->events);
	observed_free(window->observed);
}
