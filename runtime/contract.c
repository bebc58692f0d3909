/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract.h"
#include "options.h"
#include "scratch.h"
#include "tasks.h"
#include "team.h"
#include "watch.h"

/* A testcase may define these or not. */
#pragma weak testcase_prepare
#pragma weak testcase_cleanup
#pragma weak testcase_needs
#pragma weak testcase_options
#pragma weak testcase_source

const char *contract_name(void)
{
	static char name[256];
	size_t length = strlen(program_invocation_short_name), suffix = strlen(mode_name) + 1;

	snprintf(name, sizeof(name), "%s", program_invocation_short_name);
	if (length > suffix && length < sizeof(name) &&
	    !strcmp(name + length - suffix + 1, mode_name))
		name[length - suffix] = '\0';
	return name;
}

const char *contract_source(void)
{
	return testcase_source;
}

const struct testcase_needs *contract_needs(void)
{
	static const struct testcase_needs unknown;

	return &testcase_needs ? &testcase_needs : &unknown;
}

const struct testcase_option *contract_options(void)
{
	static const struct testcase_option none;

	return testcase_options ? testcase_options : &none;
}

void contract_prepare(unsigned long tasks)
{
	if (!testcase_prepare)
		return;
	watch_hook("testcase_prepare()");
	testcase_prepare(tasks);
	watch_hook(NULL);
}

void contract_cleanup(void)
{
	if (!testcase_cleanup)
		return;
	watch_hook("testcase_cleanup()");
	testcase_cleanup();
	watch_hook(NULL);
}

/* --- Options of the testcase. --- */

enum { MAX_SET = 32 };

static struct {
	const struct testcase_option *option;
	const char *value;
} set[MAX_SET];

static bool whole_number(const char *text, unsigned long long *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno;
}

static void unknown_option(const char *name, size_t length)
{
	char names[512] = "none";
	size_t used = 0;

	for (const struct testcase_option *option = contract_options();
	     option->name && used < sizeof(names); option++)
		used += snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "",
				 option->name);
	usage_error("--option %.*s: %s has no such option (it has: %s)", (int)length, name,
		    contract_name(), names);
}

void contract_set_option(const char *assignment)
{
	const char *equals = strchr(assignment, '=');
	const struct testcase_option *option = contract_options();
	unsigned long long number;
	size_t length, at = 0;

	if (!equals || equals == assignment)
		usage_error("--option %s: not of the form NAME=VALUE", assignment);
	length = equals - assignment;
	while (option->name && (strncmp(option->name, assignment, length) || option->name[length]))
		option++;
	if (!option->name)
		unknown_option(assignment, length);
	if (whole_number(option->value, &number) && !whole_number(equals + 1, &number))
		usage_error("--option %s: the value must be a whole number, as the default %s is",
			    assignment, option->value);
	while (at < MAX_SET - 1 && set[at].option && set[at].option != option)
		at++;
	set[at].option = option;
	set[at].value = equals + 1;
}

const char *option_text(const char *name)
{
	const struct testcase_option *option = contract_options();

	for (size_t at = 0; at < MAX_SET && set[at].option; at++)
		if (!strcmp(set[at].option->name, name))
			return set[at].value;
	while (option->name && strcmp(option->name, name))
		option++;
	if (!option->name)
		task_verdict(VERDICT_FAILED, "option \"%s\" is not among testcase_options", name);
	return option->value;
}

unsigned long long option_number(const char *name)
{
	unsigned long long number;

	if (!whole_number(option_text(name), &number))
		task_verdict(VERDICT_FAILED, "option \"%s\" is not a number: %s", name,
			     option_text(name));
	return number;
}
