/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plugin for QEMU that counts the instructions of each operation of a testcase, by function of
 * the kernel. Arguments: symbols=FILE, out=FILE, operations=N (of a window, at most).
 *
 * Every instruction of the kernel has a counter of its own, which translated code increments; all
 * instructions of user programs share one. The testcase's program marks when its measurement
 * begins and ends (runtime/marker.h). In between, an operation ends with the store to the
 * iteration counter: then the difference of all counters to their last values is the operation.
 * docs/formats.md, section 9, describes what is written.
 */
#define _GNU_SOURCE
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "marker.h"
#include "qemu-plugin.h"
#include "symbols.h"
#include "x86.h"

#define KERNEL_HALF (UINT64_C(1) << 63)

/* The kernel's image lies from its first symbol on. */
#define IMAGE_START UINT64_C(0xffffffff80000000)
#define IMAGE_BYTES (UINT64_C(128) << 20)

/* Different instructions of the kernel that can be told apart; a boot executes some 300,000. */
enum { MOST_SLOTS = 1 << 21, TABLE_SIZE = 2 * MOST_SLOTS };

/* Operations that differ in their number of instructions, and two for all that are too many. */
enum { MOST_KINDS = 24, OTHERS = MOST_KINDS, OTHERS_DISTURBED, KINDS };

/* Slot 0 is the one of all user programs. */
static uint64_t counts[MOST_SLOTS], last[MOST_SLOTS];
static struct slot {
	uint64_t address, meaning;
	uint32_t function;
	bool repeats, interrupt;
} slots[MOST_SLOTS] = { { 0 } };
static uint32_t used = 1, table[TABLE_SIZE];

/* Operations of so many instructions each; disturbed by an interrupt or not. */
static struct kind {
	uint64_t instructions, operations, total;
	bool disturbed;
	uint64_t *sums;			/* by slot, as far as there were any */
	uint32_t room;
} kinds[KINDS];
static unsigned int kinds_used;

static struct symbols symbols;
static FILE *out;
static unsigned long long most_operations, run;

static struct {
	bool awaited, open, begun;
	uint64_t address, physical;	/* of the iteration counter */
	unsigned long long operations;
} window;

/* The instruction that follows a marker, in translated code, tells where the counter lies. */
static uint64_t after_marker;

PLUGIN_EXPORT int qemu_plugin_version = PLUGIN_API;

static uint32_t make_slot(uint64_t address, uint64_t meaning, const uint8_t *bytes, size_t size,
			  size_t function)
{
	const struct symbol *symbol = &symbols.list[function];

	if (used == MOST_SLOTS)
		errx(1, "more than %d different instructions of the kernel", MOST_SLOTS);
	slots[used] = (struct slot) {
		.address = address,
		.meaning = meaning,
		.function = function,
		.repeats = x86_repeats(bytes, size),
		.interrupt = symbol->interrupt,
	};
	return used++;
}

/* The kernel patches itself: an address whose instruction has changed gets another slot. */
static uint32_t find_slot(uint64_t address, const uint8_t *bytes, size_t size)
{
	size_t function = symbols_find(&symbols, address);
	const struct symbol *symbol = &symbols.list[function];
	const struct x86_bounds bounds = {
		.function = symbol->address,
		.function_end = function + 1 < symbols.count ? symbol[1].address : UINT64_MAX,
		.image = IMAGE_START,
		.image_end = IMAGE_START + IMAGE_BYTES,
	};
	uint64_t meaning = x86_meaning(bytes, size, address, &bounds);
	uint64_t place = (address ^ meaning) * UINT64_C(0x9e3779b97f4a7c15) >> 40;

	for (uint32_t i = place % TABLE_SIZE;; i = (i + 1) % TABLE_SIZE) {
		const struct slot *slot = &slots[table[i]];

		if (!table[i])
			return table[i] = make_slot(address, meaning, bytes, size, function);
		if (slot->address == address && slot->meaning == meaning)
			return table[i];
	}
}

/* Brings the last values up to date without keeping the difference. */
static void forget(void)
{
	memcpy(last, counts, used * sizeof(*last));
}

static struct kind *find_kind(uint64_t instructions, bool disturbed)
{
	for (unsigned int i = 0; i < kinds_used; i++)
		if (kinds[i].instructions == instructions && kinds[i].disturbed == disturbed)
			return &kinds[i];
	if (kinds_used == MOST_KINDS)
		return &kinds[disturbed ? OTHERS_DISTURBED : OTHERS];
	kinds[kinds_used].instructions = instructions;
	kinds[kinds_used].disturbed = disturbed;
	return &kinds[kinds_used++];
}

static void make_room(struct kind *kind)
{
	if (kind->room >= used)
		return;
	kind->sums = realloc(kind->sums, used * sizeof(*kind->sums));
	if (!kind->sums)
		err(1, "cannot hold the counts of an operation");
	memset(kind->sums + kind->room, 0, (used - kind->room) * sizeof(*kind->sums));
	kind->room = used;
}

/* What was executed since the last operation's end is one operation. */
static void add_operation(void)
{
	uint64_t instructions = 0;
	bool disturbed = false;
	struct kind *kind;

	for (uint32_t i = 0; i < used; i++) {
		uint64_t difference = counts[i] - last[i];

		instructions += difference;
		disturbed |= difference && slots[i].interrupt;
	}
	kind = find_kind(instructions, disturbed);
	make_room(kind);
	for (uint32_t i = 0; i < used; i++)
		kind->sums[i] += counts[i] - last[i];
	kind->operations++;
	kind->total += instructions;
	forget();
}

static void store(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
	if (!window.open || address != window.address || !qemu_plugin_mem_is_store(info))
		return;
	/* Another program may have something else at this address. */
	if (qemu_plugin_hwaddr_phys_addr(qemu_plugin_get_hwaddr(info, address)) != window.physical)
		return;
	if (!window.begun) {
		forget();
		window.begun = true;
	} else if (window.operations < most_operations) {
		window.operations++;
		add_operation();
	}
}

struct sum {
	uint64_t instructions, meaning;
};

static void write_kind(const struct kind *kind)
{
	struct sum *sums = calloc(symbols.count, sizeof(*sums));
	uint64_t repeated = 0;

	if (!sums)
		err(1, "cannot hold the counts of all functions");
	for (uint32_t i = 1; i < kind->room; i++) {
		struct sum *sum = &sums[slots[i].function];

		if (!kind->sums[i])
			continue;
		sum->instructions += kind->sums[i];
		/* Independent of the order in which they were first executed. */
		sum->meaning += slots[i].meaning;
		if (slots[i].repeats)
			repeated += kind->sums[i];
	}
	fprintf(out, "%s %llu %llu %d\n", kind < &kinds[OTHERS] ? "kind" : "others", (unsigned long long)kind->operations,
		(unsigned long long)kind->total, kind->disturbed);
	fprintf(out, "user %llu\n", (unsigned long long)kind->sums[0]);
	fprintf(out, "repeated %llu\n", (unsigned long long)repeated);
	for (size_t i = 0; i < symbols.count; i++)
		if (sums[i].instructions)
			fprintf(out, "function %llu %016llx %s\n",
				(unsigned long long)sums[i].instructions,
				(unsigned long long)sums[i].meaning, symbols.list[i].name);
	free(sums);
}

static void clear_kinds(void)
{
	for (unsigned int i = 0; i < KINDS; i++)
		free(kinds[i].sums);
	memset(kinds, 0, sizeof(kinds));
	kinds[OTHERS_DISTURBED].disturbed = true;
	kinds_used = 0;
}

static void mark_run(unsigned int cpu, void *data)
{
	run++;
	window.awaited = window.open = false;
}

static void mark_open(unsigned int cpu, void *data)
{
	window.awaited = true;
}

static void tell_counter(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
	if (!window.awaited)
		return;
	clear_kinds();
	window.awaited = window.begun = false;
	window.open = true;
	window.operations = 0;
	window.address = address;
	window.physical = qemu_plugin_hwaddr_phys_addr(qemu_plugin_get_hwaddr(info, address));
}

static void mark_close(unsigned int cpu, void *data)
{
	if (!window.open)
		return;
	window.open = false;
	fprintf(out, "window %llu %llu\n", run, window.operations);
	for (unsigned int i = 0; i < KINDS; i++)
		if (kinds[i].operations)
			write_kind(&kinds[i]);
	fprintf(out, "end\n");
	if (fflush(out))
		err(1, "cannot write what was counted");
}

static void translate_user(struct qemu_plugin_insn *instruction)
{
	static const struct {
		uint32_t word;
		qemu_plugin_vcpu_udata_cb_t callback;
	} markers[] = {
		{ MARKER_RUN, mark_run },
		{ MARKER_OPEN, mark_open },
		{ MARKER_CLOSE, mark_close },
	};
	const uint8_t *bytes = qemu_plugin_insn_data(instruction);
	uint64_t address = qemu_plugin_insn_vaddr(instruction);

	qemu_plugin_register_vcpu_insn_exec_inline(instruction, QEMU_PLUGIN_INLINE_ADD_U64,
						   &counts[0], 1);
	qemu_plugin_register_vcpu_mem_cb(instruction,
					 address == after_marker ? tell_counter : store,
					 QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
	if (qemu_plugin_insn_size(instruction) != 7 || memcmp(bytes, "\x0f\x1f\x80", 3))
		return;
	for (size_t i = 0; i < sizeof(markers) / sizeof(markers[0]); i++) {
		if (memcmp(bytes + 3, &markers[i].word, 4))
			continue;
		qemu_plugin_register_vcpu_insn_exec_cb(instruction, markers[i].callback,
						       QEMU_PLUGIN_CB_NO_REGS, NULL);
		if (markers[i].callback == mark_open)
			after_marker = address + 7;
	}
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
	size_t count = qemu_plugin_tb_n_insns(block);

	for (size_t i = 0; i < count; i++) {
		struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, i);
		uint64_t address = qemu_plugin_insn_vaddr(instruction);
		uint32_t slot;

		if (address < KERNEL_HALF) {
			translate_user(instruction);
			continue;
		}
		slot = find_slot(address, qemu_plugin_insn_data(instruction),
				 qemu_plugin_insn_size(instruction));
		qemu_plugin_register_vcpu_insn_exec_inline(instruction, QEMU_PLUGIN_INLINE_ADD_U64,
							   &counts[slot], 1);
	}
}

/* The value of NAME=VALUE among the arguments; NULL where there is none. */
static const char *argument(int argc, char **argv, const char *name)
{
	size_t length = strlen(name);

	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], name, length) && argv[i][length] == '=')
			return argv[i] + length + 1;
	return NULL;
}

PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
				      char **argv)
{
	const char *symbols_path = argument(argc, argv, "symbols");
	const char *out_path = argument(argc, argv, "out");
	const char *operations = argument(argc, argv, "operations");

	if (info->version.min > PLUGIN_API || info->version.cur < PLUGIN_API) {
		warnx("this QEMU has versions %d to %d of the plugin interface; %d is needed",
		      info->version.min, info->version.cur, PLUGIN_API);
		return 1;
	}
	if (!info->system_emulation || info->system.smp_vcpus != 1 ||
	    strcmp(info->target_name, "x86_64")) {
		warnx("instructions are counted of an x86_64 machine with one CPU");
		return 1;
	}
	if (!symbols_path || !out_path || !operations) {
		warnx("symbols=, out= and operations= are needed");
		return 1;
	}
	symbols = symbols_read(symbols_path);
	most_operations = strtoull(operations, NULL, 10);
	out = fopen(out_path, "we");
	if (!out) {
		warn("cannot write %s", out_path);
		return 1;
	}
	clear_kinds();
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	return 0;
}
