/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "contract.h"
#include "options.h"
#include "steady.h"
#include "team.h"

/*
 * What users of the field's older suites get when they ask for nothing: 6 samples of warm-up, one
 * second apart.
 */
#define DEFAULT_WARMUP 6.0
#define DEFAULT_INTERVAL 1.0

#define LONGEST 1e9		/* seconds; three decades are taken for a slip */
#define SHORTEST_INTERVAL 1e-3

void usage_error(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vwarnx(format, arguments);
	exit(STATUS_USAGE);
}

static void print_help(void)
{
	printf("Usage: %s [OPTION...]\n", program_invocation_short_name);
	printf("Runs a loop as %s, each pinned to a CPU, and reports operations per second.\n",
	       mode_name);
	printf("The loop: %s\n\n", testcase_description);
	puts("  -t N                 number of tasks (1)\n"
	     "  -s SECONDS           length of the measurement (0: until interrupted)\n"
	     "  -m                   a task per hardware thread, not per core: --policy pus\n"
	     "  -n                   no affinity: --policy none\n"
	     "  -v                   a line per task before each sample\n"
	     "  -h, --help           this text\n"
	     "  --warmup SECONDS     length of the warm-up (6), or\n"
	     "  --warmup auto        until the rate has settled, 5 s at most\n"
	     "  --operations N       end the measurement when all tasks together have done so many\n"
	     "  --interval SECONDS   time between samples (1)\n"
	     "  --policy POLICY      where tasks run: cores, pus, scatter, compact, none (cores)\n"
	     "  --cpus LIST          CPUs to use, as 0-3,8,10-11\n"
	     "  --dir PATH           folder for scratch files (/dev/shm, else TMPDIR, else /tmp)\n"
	     "  --option NAME=VALUE  a setting of this testcase\n"
	     "  --samples FILE       write every sample of every task into this file\n"
	     "  --turns ROLE:FD      run in turn with another program, as first or second of\n"
	     "                       them, at the other end of a socket\n"
	     "  --events LIST        count these events of perf for each task, as default or\n"
	     "                       instructions,page-faults:k\n"
	     "  --observe FILE       keep this file's text, from just before and just after the\n"
	     "                       measurement; can be repeated\n"
	     "  --recorder FD        switch a recorder on for the measurement, over a socket, as\n"
	     "                       perf record --control knows it\n"
	     "  --show-placement     print which task runs where, and start nothing\n"
	     "  --describe           print what this testcase is and needs\n"
	     "  --version            print what this program was built from");
	for (const struct testcase_option *option = contract_options(); option->name; option++)
		printf("%sSettings: %s=%s  %s\n", option == contract_options() ? "\n" : "",
		       option->name, option->value, option->help);
	if (fflush(stdout) || ferror(stdout))
		err(STATUS_FAILED, "cannot write to standard output");
	exit(0);
}

static unsigned long parse_count(const char *option, const char *text, const char *what)
{
	unsigned long count;
	char *end;

	errno = 0;
	count = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || !count)
		usage_error("%s %s: the number of %s must be a whole number, 1 or more", option,
			    text, what);
	return count;
}

static double parse_seconds(const char *option, const char *text, double least, const char *allowed)
{
	double seconds;
	char *end;

	errno = 0;
	seconds = strtod(text, &end);
	if (!*text || *end || errno || !isfinite(seconds) || seconds < least || seconds > LONGEST)
		usage_error("%s %s: must be %s", option, text, allowed);
	return seconds;
}

static enum policy parse_policy(const char *text)
{
	enum policy policy = POLICY_CORES;

	while (policy_name(policy) && strcmp(policy_name(policy), text))
		policy++;
	if (!policy_name(policy))
		usage_error("--policy %s: must be cores, pus, scatter, compact or none", text);
	return policy;
}

/* A record of the samples file is a line, and its fields end at a space. */
static const char *parse_events(const char *text)
{
	size_t length = strlen(text);

	if (!length || strpbrk(text, " \t\n") || strstr(text, ",,") || *text == ',' ||
	    text[length - 1] == ',')
		usage_error("--events %s: must be names of events, separated by commas", text);
	return text;
}

static const char *parse_path(const char *text)
{
	if (*text != '/' || strchr(text, '\n'))
		usage_error("--observe %s: must be an absolute path", text);
	return text;
}

static int parse_socket(const char *text)
{
	unsigned long number = parse_count("--recorder", text, "the descriptor");
	int type;
	socklen_t size = sizeof(type);

	if (number > INT_MAX || getsockopt(number, SOL_SOCKET, SO_TYPE, &type, &size))
		usage_error("--recorder %s: must be the number of a socket's descriptor", text);
	fcntl(number, F_SETFD, FD_CLOEXEC);
	return number;
}

enum {
	OPT_HELP = 256,
	OPT_WARMUP,
	OPT_OPERATIONS,
	OPT_INTERVAL,
	OPT_POLICY,
	OPT_CPUS,
	OPT_DIR,
	OPT_OPTION,
	OPT_SAMPLES,
	OPT_TURNS,
	OPT_EVENTS,
	OPT_OBSERVE,
	OPT_RECORDER,
	OPT_SHOW_PLACEMENT,
	OPT_DESCRIBE,
	OPT_VERSION,
};

static const struct option long_options[] = {
	{ "help", no_argument, NULL, OPT_HELP },
	{ "warmup", required_argument, NULL, OPT_WARMUP },
	{ "operations", required_argument, NULL, OPT_OPERATIONS },
	{ "interval", required_argument, NULL, OPT_INTERVAL },
	{ "policy", required_argument, NULL, OPT_POLICY },
	{ "cpus", required_argument, NULL, OPT_CPUS },
	{ "dir", required_argument, NULL, OPT_DIR },
	{ "option", required_argument, NULL, OPT_OPTION },
	{ "samples", required_argument, NULL, OPT_SAMPLES },
	{ "turns", required_argument, NULL, OPT_TURNS },
	{ "events", required_argument, NULL, OPT_EVENTS },
	{ "observe", required_argument, NULL, OPT_OBSERVE },
	{ "recorder", required_argument, NULL, OPT_RECORDER },
	{ "show-placement", no_argument, NULL, OPT_SHOW_PLACEMENT },
	{ "describe", no_argument, NULL, OPT_DESCRIBE },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ 0 }
};

/* -m, -n and --policy say the same thing; -n stands over -m, as users of both have it. */
struct affinity {
	bool all_threads, none;
	const char *policy;
};

static enum policy choose_policy(const struct affinity *affinity)
{
	if (affinity->policy && (affinity->all_threads || affinity->none))
		usage_error("--policy %s: cannot be combined with -%c", affinity->policy,
			    affinity->none ? 'n' : 'm');
	if (affinity->policy)
		return parse_policy(affinity->policy);
	if (affinity->none)
		return POLICY_NONE;
	return affinity->all_threads ? POLICY_PUS : POLICY_CORES;
}

static void parse_one(int option, struct options *options, struct affinity *affinity)
{
	switch (option) {
	case 't':
		options->tasks = parse_count("-t", optarg, "tasks");
		break;
	case 's':
		options->seconds = parse_seconds("-s", optarg, 0, "a number of seconds, 0 or more");
		/* What rounds to no nanosecond would be taken for 0, which has no end. */
		if (options->seconds && options->seconds < SHORTEST_INTERVAL)
			usage_error("-s %s: must be 0, or 0.001 seconds or more", optarg);
		break;
	case 'm':
		affinity->all_threads = true;
		break;
	case 'n':
		affinity->none = true;
		break;
	case 'v':
		options->verbose = true;
		break;
	case 'h':
	case OPT_HELP:
		print_help();
		break;
	case OPT_WARMUP:
		options->warmup_auto = !strcmp(optarg, "auto");
		if (!options->warmup_auto)
			options->warmup = parse_seconds("--warmup", optarg, 0,
							"a number of seconds, 0 or more, or auto");
		break;
	case OPT_OPERATIONS:
		options->operations = parse_count("--operations", optarg, "operations");
		break;
	case OPT_INTERVAL:
		options->interval = parse_seconds("--interval", optarg, SHORTEST_INTERVAL,
						  "a number of seconds, 0.001 or more");
		break;
	case OPT_POLICY:
		affinity->policy = optarg;
		break;
	case OPT_CPUS:
		options->cpus = optarg;
		break;
	case OPT_DIR:
		if (!*optarg)
			usage_error("--dir %s: must name a folder", optarg);
		options->dir = optarg;
		break;
	case OPT_OPTION:
		contract_set_option(optarg);
		break;
	case OPT_SAMPLES:
		options->samples = optarg;
		break;
	case OPT_TURNS:
		options->turns = turns_parse(optarg);
		break;
	case OPT_EVENTS:
		options->events = parse_events(optarg);
		break;
	case OPT_OBSERVE:
		options->observed = observed_add(options->observed, parse_path(optarg));
		break;
	case OPT_RECORDER:
		options->recorder = parse_socket(optarg);
		break;
	case OPT_SHOW_PLACEMENT:
		options->action = ACTION_SHOW_PLACEMENT;
		break;
	case OPT_DESCRIBE:
		options->action = ACTION_DESCRIBE;
		break;
	case OPT_VERSION:
		options->action = ACTION_VERSION;
		break;
	}
}

static void bad_option(const char *word)
{
	/* A letter in the middle of a word, as in -vx, has not moved getopt to the next one. */
	if (optopt > 0 && optopt < 256)
		usage_error("-%c: no such option; --help lists the options", optopt);
	usage_error("%s: no such option, or more than it takes; --help lists the options", word);
}

struct options options_parse(int argc, char **argv)
{
	struct options options = {
		.tasks = 1,
		.interval = DEFAULT_INTERVAL,
		.warmup = DEFAULT_WARMUP,
		.recorder = -1,
	};
	struct affinity affinity = { .none = false };
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":t:s:mnvh", long_options, NULL)) != -1) {
		if (option == ':')
			usage_error("%s: needs a value; --help lists the options",
				    argv[optind - 1]);
		if (option == '?')
			bad_option(argv[optind - 1]);
		parse_one(option, &options, &affinity);
	}
	if (optind < argc)
		usage_error("%s: not an option; --help lists the options", argv[optind]);
	options.policy = choose_policy(&affinity);
	if (options.turns.role != TURNS_NONE && !options.seconds)
		usage_error("-s 0: with --turns a length above 0 is needed");
	return options;
}
