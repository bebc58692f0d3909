/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first process of a virtual machine: mounts what testcases need, loads the modules that were
 * brought along, then does what it is asked, one request after the other; docs/formats.md, section
 * 8, describes requests and answers. They come from the file /plan of the initramfs, or else over
 * the second serial port, and answers always go there. When no request is left, the machine ends.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "marker.h"
#include "messages.h"
#include "port.h"

/* Version of the requests and answers. */
#define PROTOCOL "1"

#define PLAN "/plan"
#define MODULES "/modules"

/* Where a program's streams and its samples file go. */
#define OUTPUT "/run/output"
#define ERRORS "/run/errors"
#define SAMPLES "/run/samples"

/* A kernel without one of these lacks what some testcases need; they say so themselves. */
static void make_mount(const char *type, const char *path, const char *options)
{
	mkdir(path, 0755);
	if (mount(type, path, type, 0, options))
		warn("cannot mount %s on %s", type, path);
}

static void make_mounts(void)
{
	make_mount("proc", "/proc", NULL);
	make_mount("sysfs", "/sys", NULL);
	make_mount("devtmpfs", "/dev", NULL);
	make_mount("tmpfs", "/run", NULL);
	make_mount("tmpfs", "/tmp", "mode=1777");
	make_mount("tmpfs", "/dev/shm", "mode=1777");
	make_mount("devpts", "/dev/pts", NULL);
	make_mount("mqueue", "/dev/mqueue", NULL);
	make_mount("cgroup2", "/sys/fs/cgroup", NULL);
	make_mount("tracefs", "/sys/kernel/tracing", NULL);
}

static void bring_up_loopback(void)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	int file = socket(AF_INET, SOCK_DGRAM, 0);

	if (file < 0 || ioctl(file, SIOCSIFFLAGS, &request))
		warn("cannot bring the loopback device up");
	close(file);
}

/* In the order of their names. One that the kernel does not take is told, and left out. */
static void load_modules(void)
{
	struct dirent **entries;
	int count = scandir(MODULES, &entries, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		char path[512];
		int file;

		snprintf(path, sizeof(path), MODULES "/%s", entries[i]->d_name);
		if (entries[i]->d_name[0] == '.')
			continue;
		file = open(path, O_RDONLY | O_CLOEXEC);
		if (syscall(SYS_finit_module, file, "", 0) && errno != EEXIST)
			warn("cannot load the module %s", entries[i]->d_name);
		close(file);
	}
}

/* The whole content; nothing, with errno set, where it cannot be read. */
static struct text read_file(const char *path)
{
	struct text text = { .bytes = NULL };
	FILE *from = fopen(path, "re"), *into = open_memstream(&text.bytes, &text.length);
	char buffer[64 << 10];
	size_t bytes;
	int error = from ? 0 : errno;

	if (!into)
		err(1, "cannot hold a file");
	while (from && (bytes = fread(buffer, 1, sizeof(buffer), from)) > 0)
		fwrite(buffer, 1, bytes, into);
	if (from && ferror(from))
		error = errno;
	if (from)
		fclose(from);
	fclose(into);
	errno = error;
	return text;
}

static void answer_file(FILE *to, const char *path)
{
	struct text fields[2];

	fields[1] = read_file(path);
	fields[0] = text_of(errno ? strerror(errno) : "");
	answer(to, 2, fields);
	free(fields[1].bytes);
}

/* The names in a folder, each ended by a zero byte. */
static void answer_names(FILE *to, const char *path)
{
	struct text names = { .bytes = NULL };
	FILE *into = open_memstream(&names.bytes, &names.length);
	DIR *folder = opendir(path);
	char *error = folder ? "" : strerror(errno);
	struct dirent *entry;

	if (!into)
		err(1, "cannot hold a folder");
	while (folder && (entry = readdir(folder)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			fwrite(entry->d_name, 1, strlen(entry->d_name) + 1, into);
	if (folder)
		closedir(folder);
	fclose(into);
	answer(to, 2, (struct text[]) { text_of(error), names });
	free(names.bytes);
}

/* Of /proc/kallsyms, which is long, the lines of code only. */
static void answer_symbols(FILE *to)
{
	struct text symbols = { .bytes = NULL };
	FILE *into = open_memstream(&symbols.bytes, &symbols.length);
	FILE *from = fopen("/proc/kallsyms", "re");
	char *error = from ? "" : strerror(errno), *line = NULL;
	size_t room = 0;

	if (!into)
		err(1, "cannot hold the symbols");
	while (from && getline(&line, &room, from) > 0) {
		const char *kind = strchr(line, ' ');

		if (kind && strchr("tTwW", kind[1]))
			fputs(line, into);
	}
	free(line);
	if (from)
		fclose(from);
	fclose(into);
	answer(to, 2, (struct text[]) { text_of(error), symbols });
	free(symbols.bytes);
}

static void redirect(int stream, const char *path, int flags)
{
	int file = open(path, flags, 0644);

	if (file < 0 || dup2(file, stream) < 0)
		err(126, "cannot open %s", path);
	if (file != stream)
		close(file);
}

/* words: NAME=VALUE of the environment, then "--", then the program and its arguments. */
static void become_program(char **words)
{
	char **environment = words;

	while (*words && strcmp(*words, "--"))
		words++;
	if (!words[0] || !words[1])
		errx(126, "a request to run names no program");
	*words++ = NULL;
	setsid();
	redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
	redirect(STDOUT_FILENO, OUTPUT, O_WRONLY | O_CREAT | O_TRUNC);
	redirect(STDERR_FILENO, ERRORS, O_WRONLY | O_CREAT | O_TRUNC);
	execve(words[0], words, environment);
	err(127, "%s", words[0]);
}

/* Its status as Python's subprocess counts it: negative for a signal. Nothing outlives it. */
static int run_program(char **words)
{
	int status = 0, its_status = 0;
	pid_t child, gone;

	unlink(SAMPLES);
	marker_run();
	child = fork();
	if (child < 0)
		err(1, "cannot make a process");
	if (!child)
		become_program(words);
	do {
		gone = wait(&status);
		if (gone == child) {
			its_status = status;
			kill(-1, SIGKILL);
		}
	} while (gone > 0);
	return WIFSIGNALED(its_status) ? -WTERMSIG(its_status) : WEXITSTATUS(its_status);
}

static void answer_run(FILE *to, char **words)
{
	struct text fields[4];
	char status[16];

	snprintf(status, sizeof(status), "%d", run_program(words));
	fields[0] = text_of(status);
	fields[1] = read_file(OUTPUT);
	fields[2] = read_file(ERRORS);
	fields[3] = read_file(SAMPLES);
	answer(to, 4, fields);
	for (int i = 1; i < 4; i++)
		free(fields[i].bytes);
}

static void act(const struct request *request, FILE *to)
{
	const char *verb = request->fields[0];

	if (!strcmp(verb, "run"))
		answer_run(to, (char **)request->fields + 1);
	else if (!strcmp(verb, "symbols"))
		answer_symbols(to);
	else if (!strcmp(verb, "read") && request->count == 2)
		answer_file(to, request->fields[1]);
	else if (!strcmp(verb, "names") && request->count == 2)
		answer_names(to, request->fields[1]);
	else
		errx(1, "a request '%s' of %zu fields is not known", verb, request->count);
}

int main(void)
{
	struct request request;
	FILE *answers, *requests;
	int port;

	make_mounts();
	redirect(STDIN_FILENO, "/dev/console", O_RDONLY);
	redirect(STDOUT_FILENO, "/dev/console", O_WRONLY);
	redirect(STDERR_FILENO, "/dev/console", O_WRONLY);
	bring_up_loopback();
	load_modules();

	port = port_open();
	answers = port_output(port);
	requests = fopen(PLAN, "re");
	if (!requests)
		requests = fdopen(port, "r");
	if (!answers || !requests)
		err(1, "cannot use %s", PORT);
	answer(answers, 2, (struct text[]) { text_of("ready"), text_of(PROTOCOL) });
	while (request_read(requests, &request)) {
		act(&request, answers);
		request_free(&request);
	}
	/* What was written must have left the port. */
	tcdrain(port);
	sync();
	reboot(RB_AUTOBOOT);
	err(1, "cannot end the virtual machine");
}
