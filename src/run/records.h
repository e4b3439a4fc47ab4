/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * records.h - the values of processes as they come, one after the other: put
 * aside until the tree is complete, and given back by tiles.h.
 *
 * A record is what one process has: for each metric, (node, value), packed.
 * Nodes are those of the unified tree by address.
 *
 * Memory    RECORDS_MEMORY; what does not fit goes to a file.
 * Threads   Several may add at the same time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run/packed.h"
#include "profile/profile.h"

#define RECORDS_MEMORY ((size_t)64 << 20)

struct record {
	uint64_t at; /* in the spill */
	uint32_t size;
	uint32_t process; /* the number that it was added under */
};

struct records;

/* Records that do not fit in memory go to that directory, or another. */
struct records *records_new(const char *directory, size_t memory);
void records_free(struct records *records); /* NULL is fine */
const char *records_directory(const struct records *records);

size_t records_count(const struct records *records);
const struct record *records_at(const struct records *records, size_t i);

/*
 * Add a profile's: nodes[] says what its nodes are, metrics[] what its columns
 * are.  0, or -errno with a reason.
 */
int records_add(struct records *records, uint32_t process,
		const struct profile *profile, const uint32_t *nodes,
		const uint32_t *metrics);

/* The bytes of record i, which has records_at()->size of them. */
int records_read(const struct records *records, size_t i, void *to);

/*
 * The sections of a record, one for each metric.
 */
struct section {
	uint32_t metric;
	const uint8_t *at, *end;
};

/* The next one from *at; false: there is none before `end`. */
bool record_section(const uint8_t **at, const uint8_t *end,
		    struct section *section);

/*
 * To unpack a section, for as long as at < end: a node is how far it is from
 * the last one, either way.
 */
static inline const uint8_t *record_value(const uint8_t *at, uint32_t *node,
					  uint64_t *value)
{
	uint64_t step;

	at = packed_get(packed_get(at, &step), value);
	*node += (uint32_t)(step >> 1) ^ -(uint32_t)(step & 1);
	return at;
}
