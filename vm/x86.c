/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The encoding: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, chapter 2
 * and appendix A.
 */
#include "x86.h"

#include <string.h>

enum { LONGEST = 15 };

/* Where the parts of an instruction begin; 0 for none. */
struct parts {
	size_t opcode, modrm, displacement;
	uint8_t map;			/* 0: one-byte opcodes, 1: those after 0F, 2: others */
	bool wide, repeat;		/* prefixes REX.W; F2 or F3 */
	bool absolute, relative;	/* the displacement is from nothing, or from the next one */
};

static bool is_prefix(uint8_t byte)
{
	return byte && memchr("\x66\x67\xf0\xf2\xf3\x2e\x36\x3e\x26\x64\x65", byte, 11);
}

static bool has_modrm(uint8_t map, uint8_t opcode)
{
	if (map == 2)
		return true;
	if (map == 1)
		return !((opcode >= 0x04 && opcode <= 0x0b) || opcode == 0x0e || opcode == 0x77 ||
			 (opcode >= 0x30 && opcode <= 0x37) || (opcode >= 0x80 && opcode <= 0x8f) ||
			 (opcode >= 0xa0 && opcode <= 0xa2) || (opcode >= 0xa8 && opcode <= 0xaa) ||
			 (opcode >= 0xc8 && opcode <= 0xcf));
	return (opcode < 0x40 && (opcode & 7) < 4) || opcode == 0x63 || opcode == 0x69 ||
	       opcode == 0x6b || (opcode >= 0x80 && opcode <= 0x8f) || opcode == 0xc0 ||
	       opcode == 0xc1 || opcode == 0xc6 || opcode == 0xc7 ||
	       (opcode >= 0xd0 && opcode <= 0xd3) || (opcode >= 0xd8 && opcode <= 0xdf) ||
	       opcode == 0xf6 || opcode == 0xf7 || opcode == 0xfe || opcode == 0xff;
}

/* The opcode, with the bytes that choose its map. */
static size_t find_opcode(const uint8_t *bytes, size_t size, struct parts *parts)
{
	size_t at = 0;

	for (; at < size && is_prefix(bytes[at]); at++)
		parts->repeat |= bytes[at] == 0xf2 || bytes[at] == 0xf3;
	if (at < size && (bytes[at] & 0xf0) == 0x40)
		parts->wide = bytes[at++] & 8;
	if (at >= size)
		return at;
	if (bytes[at] == 0xc5 || bytes[at] == 0xc4 || bytes[at] == 0x62) {
		/* VEX of two and of three bytes, EVEX of four. */
		parts->map = 2;
		return at + (bytes[at] == 0xc5 ? 2 : bytes[at] == 0xc4 ? 3 : 4);
	}
	if (bytes[at] == 0x0f) {
		parts->map = 1;
		at++;
		if (at < size && (bytes[at] == 0x38 || bytes[at] == 0x3a)) {
			parts->map = 2;
			at++;
		}
	}
	return at;
}

static struct parts find_parts(const uint8_t *bytes, size_t size)
{
	struct parts parts = { 0 };
	uint8_t mode, base;

	parts.opcode = find_opcode(bytes, size, &parts);
	if (parts.opcode + 1 >= size || !has_modrm(parts.map, bytes[parts.opcode]))
		return parts;
	parts.modrm = parts.opcode + 1;
	mode = bytes[parts.modrm] >> 6;
	base = bytes[parts.modrm] & 7;
	if (mode == 3)
		return parts;
	parts.displacement = parts.modrm + 1;
	parts.relative = mode == 0 && base == 5;
	if (base == 4 && parts.displacement < size) {
		base = bytes[parts.displacement++] & 7;
		parts.absolute = mode == 0 && base == 5;
	}
	/* Of one byte it is no address. */
	if (mode != 2 && !parts.relative && !parts.absolute)
		parts.displacement = 0;
	return parts;
}

static bool in_image(uint64_t value, const struct x86_bounds *bounds)
{
	return value >= bounds->image && value < bounds->image_end;
}

static int32_t word_at(const uint8_t *bytes)
{
	int32_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

/* Jumps and calls over a distance of 32 bits. */
static bool is_far(const struct parts *parts, const uint8_t *bytes)
{
	uint8_t opcode = bytes[parts->opcode];

	return parts->map == 0 ? opcode == 0xe8 || opcode == 0xe9 :
	       parts->map == 1 && opcode >= 0x80 && opcode <= 0x8f;
}

static void blank_addresses(uint8_t *bytes, size_t size, uint64_t address,
			    const struct x86_bounds *bounds)
{
	struct parts parts = find_parts(bytes, size);
	size_t at = parts.displacement;

	if (parts.opcode >= size)
		return;
	if (is_far(&parts, bytes) && size >= 5) {
		uint64_t target = address + size + word_at(bytes + size - 4);

		if (target < bounds->function || target >= bounds->function_end)
			memset(bytes + size - 4, 0, 4);
		return;
	}
	if (at && at + 4 <= size &&
	    (parts.relative || parts.absolute || in_image((int64_t)word_at(bytes + at), bounds)))
		memset(bytes + at, 0, 4);
	/* An immediate value is last. */
	if (parts.map == 0 && parts.wide && (bytes[parts.opcode] & 0xf8) == 0xb8 && size >= 10) {
		uint64_t value;

		memcpy(&value, bytes + size - 8, sizeof(value));
		if (value >> 63)
			memset(bytes + size - 8, 0, 8);
	} else if (size >= 5 && in_image((int64_t)word_at(bytes + size - 4), bounds)) {
		memset(bytes + size - 4, 0, 4);
	}
}

bool x86_repeats(const uint8_t *bytes, size_t size)
{
	struct parts parts = find_parts(bytes, size);
	uint8_t opcode;

	if (!parts.repeat || parts.map || parts.opcode >= size)
		return false;
	opcode = bytes[parts.opcode];
	return (opcode >= 0x6c && opcode <= 0x6f) || (opcode >= 0xa4 && opcode <= 0xa7) ||
	       (opcode >= 0xaa && opcode <= 0xaf);
}

uint64_t x86_meaning(const uint8_t *bytes, size_t size, uint64_t address,
		     const struct x86_bounds *bounds)
{
	uint8_t copy[LONGEST] = { 0 };
	/* FNV-1a, of 64 bits. */
	uint64_t hash = 0xcbf29ce484222325, offset = address - bounds->function;

	if (size > LONGEST)
		size = LONGEST;
	memcpy(copy, bytes, size);
	blank_addresses(copy, size, address, bounds);
	for (size_t i = 0; i < sizeof(offset); i++)
		hash = (hash ^ (offset >> 8 * i & 0xff)) * 0x100000001b3;
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ copy[i]) * 0x100000001b3;
	return hash;
}
