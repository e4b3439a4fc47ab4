/* SPDX-License-Identifier: BSD-3-Clause */
/* python-lines.c - see live-reader.h. */
#include "profile/live/live-reader.h"

enum {
	BEGINS = 0x80, /* an entry; the bytes behind it do not have this bit */
	MORE = 0x40,   /* of a number, behind these 6 bits */
	UNIT = 2,      /* bytes of bytecode */
	PAIR = 2,      /* an entry up to 3.10: bytes of bytecode, lines */
	PAIR_NO_LINE = -128,
};

enum {                 /* what an entry says */
	ONE_LINE = 10, /* and the next two: the line is so much further */
	NO_COLUMN = 13,
	LONG = 14,
	NO_LINE = 15
};

static uint64_t read_varint(const uint8_t *table, size_t size, size_t i)
{
	uint64_t value = 0;

	for (int shift = 0; i < size && shift < 64; shift += 6) {
		value |= (uint64_t)(table[i] & (MORE - 1)) << shift;
		if (!(table[i++] & MORE))
			break;
	}
	return value;
}

static int64_t line_delta(const uint8_t *table, size_t size, size_t i)
{
	int code = table[i] >> 3 & 15;
	uint64_t value;

	if (code < ONE_LINE || code == NO_LINE)
		return 0;
	if (code < NO_COLUMN)
		return code - ONE_LINE;
	value = read_varint(table, size, i + 1);
	return value & 1 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

/* Up to 3.9: so many bytes further the line is so much further. */
static uint32_t line_before_3_10(const uint8_t *table, size_t size,
				 uint32_t first, int64_t at)
{
	int64_t line = first;

	for (size_t i = 0; i + PAIR <= size && at >= table[i]; i += PAIR) {
		at -= table[i];
		line += (int8_t)table[i + 1];
	}
	return line < 0 || line > UINT32_MAX ? 0 : (uint32_t)line;
}

/* 3.10: so many bytes are of a line that is so much further. */
static uint32_t line_of_3_10(const uint8_t *table, size_t size, uint32_t first,
			     int64_t at)
{
	int64_t line = first;

	for (size_t i = 0; at >= 0 && i + PAIR <= size; i += PAIR) {
		int8_t delta = (int8_t)table[i + 1];

		line += delta == PAIR_NO_LINE ? 0 : delta;
		if (at < table[i])
			return delta == PAIR_NO_LINE || line < 0 ||
					       line > UINT32_MAX
				       ? 0
				       : (uint32_t)line;
		at -= table[i];
	}
	return first;
}

static uint32_t line_since_3_11(const uint8_t *table, size_t size,
				uint32_t first, int64_t at)
{
	int64_t line = first, begin = 0;

	for (size_t i = 0; at >= 0 && i < size; i++) {
		int64_t end;

		if (!(table[i] & BEGINS))
			continue;
		end = begin + UNIT * ((table[i] & 7) + 1);
		line += line_delta(table, size, i);
		if (at < end)
			return (table[i] >> 3 & 15) == NO_LINE || line < 0 ||
					       line > UINT32_MAX
				       ? 0
				       : (uint32_t)line;
		begin = end;
	}
	return first;
}

uint32_t python_line(uint32_t version, const uint8_t *table, size_t size,
		     uint32_t first, int64_t at)
{
	if (version && version < 0x30a)
		return line_before_3_10(table, size, first, at);
	return (version == 0x30a ? line_of_3_10 : line_since_3_11)(table, size,
								   first, at);
}
