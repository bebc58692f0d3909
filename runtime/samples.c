/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "contract.h"
#include "samples.h"
#include "scratch.h"
#include "topology.h"

struct kept {
	bool measure;
	int64_t start, end;
	uint64_t *counts;
};

/* One file a program; a verdict within a hook of the testcase must end it too. */
static struct {
	FILE *stream;
	unsigned long tasks;
	struct kept *kept;
	size_t count, room;
} samples;

void samples_open(const char *path)
{
	if (!path)
		return;
	samples.stream = fopen(path, "we");
	if (!samples.stream)
		usage_error("--samples %s: cannot write this file: %s", path, strerror(errno));
}

static void print_number(const char *key, int number)
{
	if (number < 0)
		fprintf(samples.stream, " %s=-", key);
	else
		fprintf(samples.stream, " %s=%d", key, number);
}

void samples_header(const struct run *run, const char *description)
{
	struct topology_counts counts = topology_count(run->topology);

	if (!samples.stream)
		return;
	samples.tasks = run->tasks;
	fprintf(samples.stream,
		"opscale-samples 1\ntestcase %s\nmode %s\ndescription %s\ntasks %lu\npolicy %s\n",
		contract_name(), mode_name, description, run->tasks,
		policy_name(run->placement->policy));
	fprintf(samples.stream, "topology packages=%d nodes=%d caches=%d cores=%d cpus=%d\n",
		counts.packages, counts.nodes, counts.caches, counts.cores, counts.cpus);
	fprintf(samples.stream, "scratch %s %s\n", scratch_filesystem(scratch_root()),
		scratch_root());
	for (unsigned long task = 0; task < run->tasks; task++) {
		const struct place *place = placement_of(run->placement, task);

		fprintf(samples.stream, "task %lu", task);
		print_number("cpu", place->cpu);
		print_number("core", place->core);
		print_number("cache", place->cache);
		print_number("node", place->node);
		print_number("package", place->package);
		print_number("kind", place->kind);
		fputc('\n', samples.stream);
	}
	/* Nothing of it is left to be written again by a child that ends with exit(). */
	fflush(samples.stream);
}

void samples_start(int64_t duration)
{
	if (samples.stream)
		fprintf(samples.stream, "start %" PRId64 "\n", duration);
}

void samples_abandon(const char *end)
{
	ssize_t written = 0;

	/* The stream holds nothing back while a hook runs. */
	if (samples.stream)
		written = write(fileno(samples.stream), end, strlen(end));
	(void)written;
}

static void no_room(void)
{
	err(STATUS_FAILED, "cannot keep the samples of %lu tasks", samples.tasks);
}

void samples_add(const struct sample *sample)
{
	size_t bytes = samples.tasks * sizeof(*sample->counts);
	struct kept *kept;

	if (!samples.stream)
		return;
	if (samples.count == samples.room) {
		samples.room = samples.room ? 2 * samples.room : 64;
		kept = realloc(samples.kept, samples.room * sizeof(*kept));
		if (!kept)
			no_room();
		samples.kept = kept;
	}
	kept = &samples.kept[samples.count++];
	*kept = (struct kept) { sample->measure, sample->start, sample->end, malloc(bytes) };
	if (!kept->counts)
		no_room();
	memcpy(kept->counts, sample->counts, bytes);
}

static void write_kept(void)
{
	for (size_t i = 0; i < samples.count; i++) {
		const struct kept *kept = &samples.kept[i];

		fprintf(samples.stream, "sample %s %" PRId64 " %" PRId64,
			kept->measure ? "measure" : "warmup", kept->start, kept->end);
		for (unsigned long task = 0; task < samples.tasks; task++)
			fprintf(samples.stream, " %" PRIu64, kept->counts[task]);
		fputc('\n', samples.stream);
		free(kept->counts);
	}
	free(samples.kept);
}

bool samples_end(const struct window *window, enum verdict verdict, const char *reason)
{
	static const char *const words[] = {
		[VERDICT_NONE] = "completed",
		[VERDICT_FAILED] = "failed",
		[VERDICT_SKIPPED] = "skipped",
		[VERDICT_INTERRUPTED] = "interrupted",
	};
	bool failed;

	if (!samples.stream)
		return true;
	write_kept();
	if (window)
		window_write(window, samples.stream);
	fprintf(samples.stream, "end %s%s%s\n", words[verdict], *reason ? " " : "", reason);
	failed = ferror(samples.stream);
	failed = fclose(samples.stream) || failed;
	samples.stream = NULL;
	return !failed;
}
