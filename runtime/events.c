/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "event.h"
#include "events.h"
#include "options.h"
#include "procfile.h"

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

enum privilege { PRIVILEGE_ANY, PRIVILEGE_USER, PRIVILEGE_KERNEL };

/* An event at one level of privilege. */
struct counter {
	char *name;			/* as it is told: with :u or :k, where that is said */
	struct event event;
	enum privilege privilege;
	char *lacks;			/* why it is not counted, NULL: it is */
	int *files;			/* one per task */
	double *counts;			/* one per task, scaled */
	double share;			/* of the time in which it should have been counted */
};

struct events {
	const struct run *run;
	uint64_t *operations;		/* of each task while its events were counted */
	size_t length;
	struct counter *counters;
};

static void *room(size_t count, size_t size)
{
	void *found = calloc(count, size);

	if (!found)
		err(STATUS_FAILED, "cannot hold the events of the tasks");
	return found;
}

static __attribute__((format(printf, 1, 2))) char *text(const char *format, ...)
{
	va_list arguments;
	char *made;

	va_start(arguments, format);
	if (vasprintf(&made, format, arguments) < 0)
		err(STATUS_FAILED, "cannot hold the events' names");
	va_end(arguments);
	return made;
}

static void add_counter(struct events *events, const char *name, const struct event *event,
			enum privilege privilege, const char *lacks)
{
	static const char *const suffixes[] = { "", ":u", ":k" };
	char *told = text("%s%s", name, suffixes[privilege]);
	struct counter *counter;

	/* Who adds to the default may name what is in it. */
	for (size_t i = 0; i < events->length; i++) {
		if (!strcmp(events->counters[i].name, told)) {
			free(told);
			return;
		}
	}
	events->counters = realloc(events->counters,
				   (events->length + 1) * sizeof(*events->counters));
	if (!events->counters)
		err(STATUS_FAILED, "cannot hold the events of the tasks");
	counter = &events->counters[events->length++];
	*counter = (struct counter) {
		.name = told,
		.event = *event,
		.privilege = privilege,
		.lacks = lacks ? text("%s", lacks) : NULL,
		.files = room(events->run->tasks, sizeof(*counter->files)),
		.counts = room(events->run->tasks, sizeof(*counter->counts)),
	};
	for (unsigned long task = 0; task < events->run->tasks; task++)
		counter->files[task] = -1;
}

/* Takes :u or :k off the end of a name. */
static enum privilege split_privilege(char *name)
{
	size_t length = strlen(name);
	char last = length > 2 && name[length - 2] == ':' ? name[length - 1] : '\0';

	if (last != 'u' && last != 'k')
		return PRIVILEGE_ANY;
	name[length - 2] = '\0';
	return last == 'u' ? PRIVILEGE_USER : PRIVILEGE_KERNEL;
}

static void add_event(struct events *events, char *name)
{
	enum privilege privilege = split_privilege(name);
	struct event event = { .type = 0 };
	const char *unknown = event_find(name, &event);

	if (unknown) {
		add_counter(events, name, &event, privilege, unknown);
	} else if (privilege != PRIVILEGE_ANY) {
		add_counter(events, name, &event, privilege,
			    event_splits(&event) ? NULL :
			    "this event has no :u and :k, it is counted as a whole");
	} else if (event_splits(&event)) {
		add_counter(events, name, &event, PRIVILEGE_USER, NULL);
		add_counter(events, name, &event, PRIVILEGE_KERNEL, NULL);
	} else {
		add_counter(events, name, &event, PRIVILEGE_ANY, NULL);
	}
}

static void add_list(struct events *events, const char *list)
{
	char *copy = text("%s", list), *rest = copy, *name;

	while ((name = strsep(&rest, ","))) {
		if (!strcmp(name, "default"))
			add_list(events, event_defaults);
		else
			add_event(events, name);
	}
	free(copy);
}

unsigned int events_files(const char *list)
{
	unsigned int names = list ? 1 : 0;

	for (const char *at = list; at && *at; at++)
		names += *at == ',';
	for (const char *at = event_defaults; names && *at; at++)
		names += *at == ',';
	return 2 * names;
}

static int open_file(const struct counter *counter, pid_t tid, bool exclude_kernel)
{
	struct perf_event_attr attributes = {
		.size = sizeof(attributes),
		.type = counter->event.type,
		.config = counter->event.config,
		.config1 = counter->event.config1,
		.config2 = counter->event.config2,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = 1,
		.inherit = 1,
		.exclude_user = counter->privilege == PRIVILEGE_KERNEL,
		.exclude_kernel = exclude_kernel,
		.exclude_hv = counter->privilege != PRIVILEGE_ANY,
	};

	return syscall(SYS_perf_event_open, &attributes, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static char *reason(int error)
{
	switch (error) {
	case EACCES:
	case EPERM:
		return text("not permitted, as kernel.perf_event_paranoid is %.0f: sysctl "
			    "kernel.perf_event_paranoid=1, or root, may count it",
			    procfile_number(PARANOID, ""));
	case ENOSYS:
		return text("the kernel has no perf events, or a filter of system calls forbids "
			    "them");
	case ENOENT:
	case ENODEV:
	case EINVAL:
	case EOPNOTSUPP:
		return text("this machine cannot count it for a task; a virtual one has no such "
			    "counters unless its host passes them on");
	default:
		return text("%s", strerror(error));
	}
}

static void close_files(const struct events *events, struct counter *counter)
{
	for (unsigned long task = 0; task < events->run->tasks; task++)
		if (counter->files[task] >= 0)
			close(counter->files[task]);
}

static void give_up(const struct events *events, struct counter *counter, char *lacks)
{
	close_files(events, counter);
	counter->lacks = lacks;
}

static void open_counter(const struct events *events, struct counter *counter)
{
	bool exclude_kernel = counter->privilege == PRIVILEGE_USER;

	for (unsigned long task = 0; task < events->run->tasks; task++) {
		pid_t tid = events->run->tids[task];
		int file = open_file(counter, tid, exclude_kernel);

		/* Who may not count in the kernel may have the time all the same. */
		if (file < 0 && event_is_clock(&counter->event)) {
			exclude_kernel = true;
			file = open_file(counter, tid, exclude_kernel);
		}
		if (file < 0) {
			give_up(events, counter, reason(errno));
			return;
		}
		counter->files[task] = file;
	}
}

/* One line for each reason. */
static void tell_lacking(const struct events *events)
{
	for (size_t i = 0; i < events->length; i++) {
		const char *lacks = events->counters[i].lacks;
		char *names = NULL;

		for (size_t j = 0; lacks && j < events->length; j++) {
			const struct counter *other = &events->counters[j];
			char *before = names;

			if (!other->lacks || strcmp(other->lacks, lacks))
				continue;
			if (j < i)
				break;
			names = text("%s%s%s", before ? before : "", before ? ", " : "",
				     other->name);
			free(before);
		}
		if (names)
			warnx("not counted: %s: %s", names, lacks);
		free(names);
	}
}

struct events *events_open(const char *list, const struct run *run)
{
	struct events *events;

	if (!list)
		return NULL;
	events = room(1, sizeof(*events));
	events->run = run;
	events->operations = room(run->tasks, sizeof(*events->operations));
	add_list(events, list);
	for (size_t i = 0; i < events->length; i++)
		if (!events->counters[i].lacks)
			open_counter(events, &events->counters[i]);
	tell_lacking(events);
	return events;
}

static void switch_task(const struct events *events, unsigned long task, unsigned long request)
{
	for (size_t i = 0; i < events->length; i++)
		if (!events->counters[i].lacks)
			ioctl(events->counters[i].files[task], request, 0);
}

/* Task by task, as thousands of them take a while: each one's operations belong to its own time. */
void events_begin(struct events *events)
{
	for (unsigned long task = 0; events && task < events->run->tasks; task++) {
		events->operations[task] = *events->run->counters[task];
		switch_task(events, task, PERF_EVENT_IOC_ENABLE);
	}
}

struct reading {
	uint64_t count, enabled, running;
};

static void read_counter(const struct events *events, struct counter *counter)
{
	double enabled = 0, running = 0;

	for (unsigned long task = 0; task < events->run->tasks; task++) {
		struct reading reading;

		if (read(counter->files[task], &reading, sizeof(reading)) != sizeof(reading)) {
			give_up(events, counter, text("its count cannot be read"));
			return;
		}
		if (reading.enabled && !reading.running) {
			give_up(events, counter, text("other events held all counters of the CPU: "
						      "ask for fewer at once"));
			return;
		}
		enabled += reading.enabled;
		running += reading.running;
		if (reading.running)
			counter->counts[task] = (double)reading.count * reading.enabled /
						reading.running;
	}
	counter->share = enabled ? running / enabled : 1;
}

void events_end(struct events *events)
{
	if (!events)
		return;
	for (unsigned long task = 0; task < events->run->tasks; task++) {
		switch_task(events, task, PERF_EVENT_IOC_DISABLE);
		events->operations[task] = *events->run->counters[task] - events->operations[task];
	}
	for (size_t i = 0; i < events->length; i++)
		if (!events->counters[i].lacks)
			read_counter(events, &events->counters[i]);
}

void events_write(const struct events *events, FILE *to)
{
	unsigned long tasks;

	if (!events)
		return;
	tasks = events->run->tasks;
	fputs("operations", to);
	for (unsigned long task = 0; task < tasks; task++)
		fprintf(to, " %" PRIu64, events->operations[task]);
	fputc('\n', to);
	for (size_t i = 0; i < events->length; i++) {
		const struct counter *counter = &events->counters[i];

		if (counter->lacks) {
			fprintf(to, "uncounted %s %s\n", counter->name, counter->lacks);
			continue;
		}
		fprintf(to, "event %s %.4f", counter->name, counter->share);
		for (unsigned long task = 0; task < tasks; task++)
			fprintf(to, " %.0f", counter->counts[task]);
		fputc('\n', to);
	}
}

void events_close(struct events *events)
{
	if (!events)
		return;
	for (size_t i = 0; i < events->length; i++) {
		struct counter *counter = &events->counters[i];

		if (!counter->lacks)
			close_files(events, counter);
		free(counter->name);
		free(counter->lacks);
		free(counter->files);
		free(counter->counts);
	}
	free(events->counters);
	free(events->operations);
	free(events);
}
