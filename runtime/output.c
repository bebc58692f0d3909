/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <err.h>
#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "contract.h"
#include "output.h"

void output_begin(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
}

static bool written(struct shared *shared)
{
	if (!ferror(stdout))
		return true;
	shared_verdict(shared, VERDICT_FAILED, "cannot write to standard output: %s",
		       strerror(errno));
	return false;
}

bool output_line(struct shared *shared, const char *line)
{
	puts(line);
	return written(shared);
}

bool output_sample(const struct run *run, const struct sample *sample, const struct totals *totals,
		   bool verbose)
{
	for (unsigned long task = 0; verbose && task < run->tasks; task++)
		printf("%4lu -> %.0f\n", task, sample_rate(sample, sample->counts[task]));
	printf("min:%.0f max:%.0f total:%.0f\n", sample_rate(sample, totals->least),
	       sample_rate(sample, totals->greatest), sample_rate(sample, totals->total));
	return written(run->shared);
}

bool output_result(const struct run *run, const struct measurement *measurement)
{
	double rate = measurement_rate(measurement), per_task = rate / run->tasks;
	double spread = measurement_spread(measurement);

	printf("average:%.0f\n", rate);
	printf("%s:%.*f\n", mode_rate_name, per_task < 1000 ? 2 : 0, per_task);
	if (spread < 0)
		printf("spread:-");
	else
		printf("spread:%.2f%%", spread);
	printf(" samples:%lu min:%.0f max:%.0f\n", measurement->samples, measurement->least,
	       measurement->greatest);
	return written(run->shared);
}

static void __attribute__((noreturn)) end_output(void)
{
	if (fflush(stdout) || ferror(stdout))
		err(STATUS_FAILED, "cannot write to standard output");
	exit(0);
}

static const char *number_or_dash(int number, char text[16])
{
	if (number < 0)
		return "-";
	snprintf(text, 16, "%d", number);
	return text;
}

void output_placement(hwloc_topology_t topology, const struct placement *placement,
		      unsigned long tasks)
{
	struct topology_counts counts = topology_count(topology);

	setvbuf(stdout, NULL, _IOFBF, BUFSIZ);
	printf("topology:packages=%d nodes=%d caches=%d cores=%d cpus=%d\n", counts.packages,
	       counts.nodes, counts.caches, counts.cores, counts.cpus);
	puts("task cpu core cache node package kind");
	for (unsigned long task = 0; task < tasks; task++) {
		const struct place *place = placement_of(placement, task);
		char text[6][16];

		printf("%4lu %3s %4s %5s %4s %7s %4s\n", task, number_or_dash(place->cpu, text[0]),
		       number_or_dash(place->core, text[1]), number_or_dash(place->cache, text[2]),
		       number_or_dash(place->node, text[3]),
		       number_or_dash(place->package, text[4]),
		       number_or_dash(place->kind, text[5]));
	}
	end_output();
}

void output_description(void)
{
	const struct testcase_needs *needs = contract_needs();

	printf("testcase:%s\n", testcase_description);
	printf("name:%s\n", contract_name());
	printf("mode:%s\n", mode_name);
	if (contract_source())
		printf("source:%s\n", contract_source());
	printf("files_per_task:%lu\n", needs->files);
	printf("partners_per_task:%lu\n", needs->partners);
	printf("memory_per_task:%llu\n", needs->memory);
	printf("in_turns:%s\n", needs->whole_runs ? "no" : "yes");
	for (const struct testcase_option *option = contract_options(); option->name; option++)
		printf("option:%s=%s %s\n", option->name, option->value, option->help);
	end_output();
}

void output_version(void)
{
	char libc[64] = "unknown";

	confstr(_CS_GNU_LIBC_VERSION, libc, sizeof(libc));
	printf("opscale:%s\n", PACKAGE_VERSION);
	printf("compiler:%s\n", BUILD_COMPILER);
	printf("flags:%s\n", BUILD_FLAGS);
	printf("libc:%s\n", libc);
	printf("hwloc:%s\n", HWLOC_VERSION);
	end_output();
}
