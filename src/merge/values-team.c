/* SPDX-License-Identifier: BSD-3-Clause */
/* values-team.c - values go from who read them to the root. */
#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "merge/packed.h"
#include "merge/values-team.h"
#include "merge/values.h"

enum {
	PIECE = 1 << 20 /* bytes that are sent at a time, and one node */
};

/* A node: its number, how many values, and these as in values.c. */
static void put_node(struct blob *to, size_t node,
		     const struct run_value *values, size_t count)
{
	uint8_t *at = blob_reach(to, 2 * (count + 1) * PACKED_MOST);
	uint32_t last = 0;

	if (!at)
		return;
	at = packed_put(packed_put(at, node), count);
	for (size_t i = 0; i < count; i++) {
		at = packed_put(packed_put(at, values[i].rank - last),
				values[i].value);
		last = values[i].rank;
	}
	to->size = (size_t)(at - (uint8_t *)to->at);
}

static int take_nodes(struct run_source *to, size_t metric,
		      const struct blob *from)
{
	struct value_streams *streams = &to->metrics[metric].streams;
	const uint8_t *at = (const uint8_t *)from->at, *end = at + from->size;
	int err = 0;

	while (at < end && !err) {
		uint64_t node, count, step, value;
		uint32_t rank = 0;

		at = packed_get(packed_get(at, &node), &count);
		for (uint64_t i = 0; i < count && !err; i++) {
			at = packed_get(packed_get(at, &step), &value);
			rank += (uint32_t)step;
			err = values_add(to->values, streams, (uint32_t)node,
					 rank, value);
		}
	}
	return err;
}

/*
 * The values of this process, metric by metric, in pieces for `give`.
 */

struct giving {
	const struct run *run;
	int (*give)(const struct giving *g, size_t metric,
		    const struct blob *piece);
	struct team *team;     /* they are sent to its root, … */
	struct run_source *to; /* … or added here */
	struct blob piece;
	struct value_buffer buffer;
};

static int give_away(struct giving *g, size_t metric)
{
	int err = blob_error(&g->piece);

	if (!err && g->piece.size)
		err = g->give(g, metric, &g->piece);
	blob_clear(&g->piece);
	return err;
}

static int give_metric(struct giving *g, size_t metric)
{
	const struct run_value *values;
	size_t count;
	int err = 0;

	for (size_t node = 0; node < g->run->node_count && !err; node++) {
		err = values_of_node(g->run, metric, node, &g->buffer, &values,
				     &count);
		if (!err && count)
			put_node(&g->piece, node, values, count);
		if (!err && g->piece.size >= PIECE)
			err = give_away(g, metric);
	}
	return err ? err : give_away(g, metric);
}

static void giving_fini(struct giving *g)
{
	blob_fini(&g->piece);
	value_buffer_fini(&g->buffer);
}

/*
 * To the root: the pieces of a metric, and an empty one.
 */

static int send_piece(const struct giving *g, size_t metric,
		      const struct blob *piece)
{
	(void)metric;
	return g->team->send(g->team, 0, piece);
}

static int send_all(const struct run *run, struct team *team)
{
	struct giving g = { .run = run, .give = send_piece, .team = team };
	const struct blob end = { 0 };
	int err = 0;

	for (size_t i = 0; i < run->metric_count && !err; i++) {
		err = give_metric(&g, i);
		if (!err)
			err = team->send(team, 0, &end);
	}
	giving_fini(&g);
	return err;
}

/*
 * At the root.
 */

static int add_piece(const struct giving *g, size_t metric,
		     const struct blob *piece)
{
	return take_nodes(g->to, metric, piece);
}

static int add_own(const struct run *run, struct run_source *to)
{
	struct giving g = { .run = run, .give = add_piece, .to = to };
	int err = 0;

	for (size_t i = 0; i < run->metric_count && !err; i++)
		err = give_metric(&g, i);
	giving_fini(&g);
	return err;
}

static int receive_metric(struct team *team, int from, struct run_source *to,
			  size_t metric, struct blob *piece)
{
	int err;

	do {
		err = team->receive(team, from, piece);
		if (!err && piece->size)
			err = take_nodes(to, metric, piece);
	} while (!err && piece->size);
	return err;
}

/* One after the other: that mostly is the order of the ranks. */
static int receive_all(struct team *team, struct run_source *to)
{
	struct blob piece = { 0 };
	int err = 0;

	for (int from = 1; from < team->size && !err; from++)
		for (size_t i = 0; i < to->metric_count && !err; i++)
			err = receive_metric(team, from, to, i, &piece);
	blob_fini(&piece);
	return err;
}

static uint32_t *identity(size_t count)
{
	uint32_t *same = calloc(count + 1, sizeof(*same));

	for (size_t i = 0; i < count && same; i++)
		same[i] = (uint32_t)i;
	return same;
}

static struct run_source *source_new(const struct run *run,
				     const char *directory)
{
	uint32_t *order = identity(run->rank_count);
	struct run_source *source =
		order ? run_source_new(run->metric_count, order,
				       run->rank_count, run->rank_count)
		      : NULL;

	free(order);
	if (source)
		source->values = values_new(directory, VALUES_MEMORY);
	if (source && source->values)
		return source;
	run_source_free(source);
	fail(-ENOMEM, "out of memory");
	return NULL;
}

static int list_nodes(const struct run *run, struct run_source *source)
{
	uint32_t *same = identity(run->node_count);
	int err = same ? 0 : fail(-ENOMEM, "out of memory");

	for (size_t i = 0; i < run->metric_count && !err; i++)
		err = source_metric_list(&source->metrics[i], same,
					 run->node_count, run->node_count);
	free(same);
	return err;
}

static int bring_together(struct run *run, struct team *team,
			  const char *directory)
{
	struct run_source *all = source_new(run, directory);
	int err = all ? add_own(run, all) : -ENOMEM;

	if (!all)
		return err;
	all->threads = run->source->threads;
	run_source_free(run->source);
	run->source = all;
	if (!err)
		err = receive_all(team, all);
	return err ? err : list_nodes(run, all);
}

int values_to_root(struct run *run, struct team *team, const char *directory)
{
	int err;

	if (team_is_root(team))
		return bring_together(run, team, directory);
	err = send_all(run, team);
	run_source_free(run->source);
	run->source = NULL;
	return err;
}
