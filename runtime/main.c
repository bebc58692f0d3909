/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The story of a run. */
#include "config.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aside.h"
#include "contract.h"
#include "counters.h"
#include "resources.h"
#include "options.h"
#include "output.h"
#include "prompt.h"
#include "sampler.h"
#include "samples.h"
#include "scratch.h"
#include "team.h"
#include "topology.h"
#include "watch.h"
#include "window.h"

/* Tells a verdict that is no result, and returns the exit status that goes with it. */
static int tell(enum verdict verdict, const char *reason)
{
	static const char *const words[] = {
		[VERDICT_FAILED] = "",
		[VERDICT_SKIPPED] = "skipped: ",
		[VERDICT_INTERRUPTED] = "interrupted ",
	};

	warnx("%s%s", words[verdict], reason);
	return verdict == VERDICT_SKIPPED ? STATUS_SKIPPED : STATUS_FAILED;
}

void parent_verdict(enum verdict verdict, const char *format, va_list arguments)
{
	char reason[1024];

	watch_hook(NULL);
	vsnprintf(reason, sizeof(reason), format, arguments);
	samples_end(NULL, verdict, reason);
	exit(tell(verdict, reason));
}

/* Tasks, with their partners, per CPU. */
static double load_of(const struct run *run)
{
	unsigned int cpus = hwloc_get_nbobjs_by_type(run->topology, HWLOC_OBJ_PU);
	unsigned long used = run->tasks < cpus ? run->tasks : cpus;

	return (double)run->tasks / used * (1 + contract_needs()->partners);
}

static struct run prepare_run(const struct options *options, hwloc_topology_t topology,
			      struct placement *placement)
{
	struct run run = {
		.tasks = options->tasks,
		.topology = topology,
		.placement = placement,
		/* Where nothing restricts it, a task that is not to be bound is left alone. */
		.bind = options->policy != POLICY_NONE || options->cpus,
		.counters = counters_make(topology, placement, options->tasks),
		.tids = shared_memory(options->tasks * sizeof(*run.tids)),
		.shared = shared_memory(sizeof(struct shared)),
		.parent = getpid(),
	};

	if (!hwloc_topology_is_thissystem(topology))
		warnx("tasks are not bound: HWLOC_SYNTHETIC or HWLOC_XMLFILE is set");
	return run;
}

/*
 * Runs the tasks, from the first one's making to the last one's end; true with a valid measurement.
 */
static bool run_tasks(const struct options *options, const struct run *run, struct window *window,
		      struct measurement *measurement)
{
	int64_t start = watch_now();
	struct team team;
	bool valid;

	watch_hold();
	valid = team_start(run, &team);
	if (valid) {
		samples_start(watch_now() - start);
		aside(run, true);
		prompt(true);
		*window = window_prepare(options, run);
		valid = sampler_run(options, run, &team, load_of(run), window, measurement);
	}
	if (!team_end(&team)) {
		shared_verdict(run->shared, VERDICT_FAILED,
			       "a task could not be killed: the kernel does not let go of it");
		valid = false;
	}
	prompt(false);
	aside(run, false);
	watch_release();
	return valid;
}

static int run_testcase(const struct options *options, hwloc_topology_t topology,
			struct placement *placement)
{
	struct measurement measurement;
	struct window window = { .observed = options->observed, .recorder = -1 };
	struct run run;
	bool valid, written;

	output_begin();
	watch_begin();
	scratch_make(options->dir ? options->dir : scratch_default_folder());
	samples_open(options->samples);
	run = prepare_run(options, topology, placement);
	samples_header(&run, testcase_description);
	printf("testcase:%s\n", testcase_description);

	contract_prepare(run.tasks);
	valid = run_tasks(options, &run, &window, &measurement);
	contract_cleanup();
	scratch_remove();
	counters_free(run.counters);

	valid = valid && output_result(&run, &measurement);
	written = samples_end(valid ? &window : NULL, shared_get_verdict(run.shared),
			      run.shared->reason);
	window_free(&window);
	if (valid && !written)
		errx(STATUS_FAILED, "cannot write the samples file %s", options->samples);
	if (valid)
		return 0;
	if (watch_signal()) {
		tell(shared_get_verdict(run.shared), run.shared->reason);
		watch_die_by(watch_signal());
	}
	return tell(shared_get_verdict(run.shared), run.shared->reason);
}

/* A file that this program opens must not get the number of a stream that is closed. */
static void occupy_streams(void)
{
	static const int modes[] = { O_RDONLY, O_RDONLY, O_WRONLY };

	/* Standard output cannot be written, and says so, as when it is closed. */
	for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
		if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", modes[stream]) != stream)
			exit(STATUS_FAILED);
}

int main(int argc, char **argv)
{
	struct options options;
	hwloc_topology_t topology;
	struct placement *placement;
	int status;

	occupy_streams();
	options = options_parse(argc, argv);
	if (options.action == ACTION_DESCRIBE)
		output_description();
	if (options.action == ACTION_VERSION)
		output_version();
	topology = topology_load(options.cpus);
	placement = placement_make(topology, options.policy);
	if (!placement)
		err(STATUS_FAILED, "cannot place the tasks");
	if (options.action == ACTION_SHOW_PLACEMENT)
		output_placement(topology, placement, options.tasks);
	resources_check(options.tasks, contract_needs(), events_files(options.events));
	status = run_testcase(&options, topology, placement);
	placement_free(placement);
	hwloc_topology_destroy(topology);
	return status;
}
