/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * values-team.c - the records of who read them go to the root, one by one, in
 * the run's numbers.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "run/values-team.h"
#include "run/values.h"

struct giving {
	const struct run_source *source;
	uint8_t *raw; /* a record, as it was read */
	size_t room;
	struct record_writer named;
};

static int read_team_record(struct giving *g, size_t i)
{
	size_t size = records_at(g->source->records, i)->size;

	if (size > g->room) {
		free(g->raw);
		g->raw = malloc(size);
		g->room = g->raw ? size : 0;
	}
	return g->raw || !size ? records_read(g->source->records, i, g->raw)
			       : no_memory();
}

/* A value takes two bytes at least. */
static int name_section(struct giving *g, const struct section *section)
{
	const uint8_t *at = section->at;
	size_t most = (size_t)(section->end - at) / 2;
	uint32_t node = 0;
	uint64_t value;
	int err = record_begin(&g->named, g->source->metric_of[section->metric],
			       most);

	while (!err && at < section->end) {
		at = record_value(at, &node, &value);
		record_put(&g->named, g->source->became[node], value);
	}
	if (!err)
		record_end(&g->named);
	return err;
}

static int name_record(struct giving *g, size_t i)
{
	size_t size = records_at(g->source->records, i)->size;
	int err = read_team_record(g, i);
	const uint8_t *at = g->raw;
	struct section section;

	g->named.size = 0;
	while (!err && record_section(&at, g->raw + size, &section))
		err = name_section(g, &section);
	return err;
}

/* The rank, and the bytes. */
static int send_record(const struct giving *g, struct team *team, uint32_t rank)
{
	struct blob blob = { 0 };
	int err;

	blob_put(&blob, &rank, 1, sizeof(rank));
	blob_put(&blob, g->named.bytes, g->named.size, 1);
	err = blob_error(&blob);
	if (!err)
		err = team->send(team, 0, &blob);
	blob_fini(&blob);
	return err;
}

/* All records, and an empty blob. */
static int send_all(const struct run *run, struct team *team)
{
	struct giving g = { .source = run->source };
	const struct blob end = { 0 };
	int err = 0;

	for (size_t i = 0; i < records_count(g.source->records) && !err; i++) {
		const struct record *r = records_at(g.source->records, i);
		uint32_t rank = g.source->order[r->process];

		if (rank == UINT32_MAX)
			continue;
		err = name_record(&g, i);
		if (!err)
			err = send_record(&g, team, rank);
	}
	free(g.raw);
	record_writer_fini(&g.named);
	return err ? err : team->send(team, 0, &end);
}

/*
 * At the root.
 */

static int add_packed_record(struct records *to, struct blob *from)
{
	size_t size = 0;
	const void *bytes;
	uint32_t rank = 0;

	if (!blob_get_one(from, &rank, sizeof(rank)))
		return fail(-EPROTO, "values of no process");
	bytes = blob_get(from, &size, 1);
	return records_add_named(to, rank, bytes, size);
}

static int receive_all(struct team *team, int from, struct records *to)
{
	struct blob blob = { 0 };
	int err;

	do {
		err = team->receive(team, from, &blob);
		if (!err && blob.size)
			err = add_packed_record(to, &blob);
	} while (!err && blob.size);
	blob_fini(&blob);
	return err;
}

int values_to_root(struct run *run, struct team *team)
{
	int err = 0;

	if (team_is_root(team)) {
		for (int from = 1; from < team->size && !err; from++)
			err = receive_all(team, from, run->source->records);
		return err;
	}
	err = send_all(run, team);
	run_source_free(run->source);
	run->source = NULL;
	return err;
}
