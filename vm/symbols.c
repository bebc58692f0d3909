/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "symbols.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Entries of the kernel's own making for each kind of interrupt: asm_... since 5.8, before that the
 * bare names.
 */
static bool is_interrupt(const char *name)
{
	static const char *const names[] = {
		"asm_common_interrupt", "asm_spurious_interrupt", "common_interrupt",
		"apic_timer_interrupt", "irq_work_interrupt", "reschedule_interrupt",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return !strncmp(name, "asm_sysvec_", strlen("asm_sysvec_"));
}

static int by_address(const void *one, const void *other)
{
	const struct symbol *first = one, *second = other;

	if (first->address != second->address)
		return first->address < second->address ? -1 : 1;
	/* Of several names of one place always the same one is taken. */
	return strcmp(first->name, second->name);
}

static void add(struct symbols *symbols, size_t *room, struct symbol symbol)
{
	if (symbols->count == *room) {
		*room = *room ? 2 * *room : 1024;
		symbols->list = realloc(symbols->list, *room * sizeof(symbol));
		if (!symbols->list)
			err(1, "cannot hold the kernel's symbols");
	}
	symbols->list[symbols->count++] = symbol;
}

static void keep_one_a_place(struct symbols *symbols)
{
	size_t kept = 1;

	for (size_t i = 1; i < symbols->count; i++)
		if (symbols->list[i].address != symbols->list[kept - 1].address)
			symbols->list[kept++] = symbols->list[i];
	symbols->count = kept;
}

struct symbols symbols_read(const char *path)
{
	struct symbols symbols = { 0 };
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t room = 0, length = 0;

	if (!file)
		err(1, "cannot read the kernel's symbols: %s", path);
	add(&symbols, &room, (struct symbol) { .name = "[no symbol]" });
	while (getline(&line, &length, file) > 0) {
		unsigned long long address;
		char kind, *name;

		if (sscanf(line, "%llx %c %ms", &address, &kind, &name) != 3)
			continue;
		if (strchr("tTwW", kind) && address)
			add(&symbols, &room, (struct symbol) {
				.address = address,
				.name = name,
				.interrupt = is_interrupt(name),
			});
	}
	free(line);
	fclose(file);
	if (symbols.count < 2)
		errx(1, "%s holds no addresses of functions", path);
	qsort(symbols.list, symbols.count, sizeof(*symbols.list), by_address);
	keep_one_a_place(&symbols);
	return symbols;
}

size_t symbols_find(const struct symbols *symbols, uint64_t address)
{
	size_t low = 0, high = symbols->count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (symbols->list[middle].address <= address)
			low = middle;
		else
			high = middle;
	}
	return low;
}
