/* SPDX-License-Identifier: BSD-3-Clause */
/* run-join.c - see run-join.h. */
#include "run/run-join.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/comparison.h"
#include "base/err.h"
#include "run/call-paths.h"
#include "run/run-build.h"

struct join {
	struct run *to;
	const struct run *from;
	uint32_t *node_of; /* by node of `from` */
	size_t ranks;      /* of `to`, before */
	bool failed;       /* no memory */
};

static uint32_t join_string(struct join *j, uint32_t text)
{
	uint32_t index =
		str_add(&j->to->strings, str_at(&j->from->strings, text));

	j->failed |= index == STR_NONE;
	return index;
}

/* A row's texts, which are those of `from`. */
#define TABLE(record, ...)                                                     \
	static inline void record##_take(struct join *j, struct record *row)   \
	{                                                                      \
		(void)j;                                                       \
		(void)row;
#define RECORD            TABLE
#define STRING(name, ...) row->name = join_string(j, row->name);
#define END_TABLE         }
#include "run/run.def"

/* Room for more rows, which are zero. */
static void *grow_rows(struct join *j, void *rows, size_t count, size_t more,
		       size_t size)
{
	void *grown = reallocarray(rows, count + more + 1, size);

	if (!grown) {
		j->failed = true;
		return rows;
	}
	memset((char *)grown + count * size, 0, (more + 1) * size);
	return grown;
}

static void join_run_words(struct join *j)
{
	struct run *to = j->to;
	const struct run *from = j->from;

	if (!to->rank_count) {
		to->command = join_string(j, from->command);
		to->job = join_string(j, from->job);
		to->version = join_string(j, from->version);
		to->mpi_library = join_string(j, from->mpi_library);
		to->batch = from->batch;
	}
	if (from->world > to->world)
		to->world = from->world;
	for (size_t i = 0; i < from->problem_count && !j->failed; i++)
		j->failed |= run_problem(to,
					 str_at(&from->strings,
						from->problems[i].source),
					 str_at(&from->strings,
						from->problems[i].text)) != 0;
}

/*
 * Nodes.
 */

/* Those on the paths of last calls; by malloc. */
static bool *find_wanted_nodes(const struct run *from)
{
	bool *wanted = calloc(from->node_count + 1, sizeof(*wanted));

	for (size_t i = 0; wanted && i < from->ends.call_count; i++) {
		wanted[from->ends.calls[i].node] = true;
		wanted[from->ends.calls[i].sample_node] = true;
		wanted[from->ends.calls[i].unfinished_node] = true;
		wanted[from->ends.calls[i].wait_node] = true;
	}
	for (size_t n = from->node_count; wanted && n-- > 1;)
		wanted[from->nodes[n].parent] |= wanted[n];
	return wanted;
}

static bool is_same_joined(const struct run_node *a, const struct run_node *b)
{
	return a->parent == b->parent && a->kind == b->kind &&
	       a->flags == b->flags && a->function == b->function &&
	       a->module == b->module && a->file == b->file &&
	       a->line == b->line && a->detail == b->detail;
}

/* There are few: those of last calls alone. */
static uint32_t node_in(struct run *to, const struct run_node *node)
{
	size_t n = node->parent;

	while (n < to->node_count && !is_same_joined(&to->nodes[n], node))
		n++;
	if (n == to->node_count)
		to->nodes[to->node_count++] = *node;
	return (uint32_t)n;
}

static void join_nodes(struct join *j)
{
	bool *wanted = find_wanted_nodes(j->from);

	j->failed |= !wanted;
	j->to->nodes = grow_rows(j, j->to->nodes, j->to->node_count,
				 j->from->node_count, sizeof(*j->to->nodes));
	for (size_t n = 0; n < j->from->node_count && !j->failed; n++) {
		struct run_node node = j->from->nodes[n];

		if (n && !wanted[n])
			continue;
		run_node_take(j, &node);
		node.parent = j->node_of[node.parent];
		j->node_of[n] = node_in(j->to, &node);
	}
	free(wanted);
}

static uint32_t parent_of_joined(const void *tree, size_t n)
{
	return ((const struct run_node *)tree)[n].parent;
}

/* Depth first again, as a run's nodes are. */
static void sort_joined_nodes(struct join *j)
{
	struct run *to = j->to;
	uint32_t *place = calloc(to->node_count + 1, sizeof(*place));
	uint32_t *end = calloc(to->node_count + 1, sizeof(*end));
	struct run_node *sorted = calloc(to->node_count + 1, sizeof(*sorted));

	j->failed |= !place || !end || !sorted ||
		     paths_order(to->node_count, parent_of_joined, to->nodes,
				 place, end);
	for (size_t n = 0; n < to->node_count && !j->failed; n++) {
		sorted[place[n]] = to->nodes[n];
		sorted[place[n]].parent = place[to->nodes[n].parent];
	}
	for (size_t i = 0; i < to->ends.call_count && !j->failed; i++) {
		struct run_last_call *call = &to->ends.calls[i];

		call->node = place[call->node];
		call->sample_node = place[call->sample_node];
		call->unfinished_node = place[call->unfinished_node];
		call->wait_node = place[call->wait_node];
	}
	if (!j->failed) {
		free(to->nodes);
		to->nodes = sorted;
		sorted = NULL;
	}
	free(sorted);
	free(place);
	free(end);
}

/*
 * Processes and their calls.
 */

static void join_ranks(struct join *j)
{
	struct run *to = j->to;

	to->ranks = grow_rows(j, to->ranks, to->rank_count, j->from->rank_count,
			      sizeof(*to->ranks));
	for (size_t i = 0; i < j->from->rank_count && !j->failed; i++) {
		struct run_rank *row = &to->ranks[to->rank_count++];

		*row = j->from->ranks[i];
		run_rank_take(j, row);
		row->role = join_string(j, row->role);
	}
}

static void join_calls(struct join *j)
{
	struct run_ends *to = &j->to->ends;
	const struct run_ends *from = &j->from->ends;

	to->calls = grow_rows(j, to->calls, to->call_count, from->call_count,
			      sizeof(*to->calls));
	to->entered = grow_rows(j, to->entered, to->entered_count,
				from->entered_count, sizeof(*to->entered));
	for (size_t i = 0; i < from->call_count && !j->failed; i++) {
		struct run_last_call *row = &to->calls[to->call_count++];

		*row = from->calls[i];
		row->doing = join_string(j, row->doing);
		row->rank += (uint32_t)j->ranks;
		row->node = j->node_of[row->node];
		row->sample_node = j->node_of[row->sample_node];
		row->unfinished_node = j->node_of[row->unfinished_node];
		row->wait_node = j->node_of[row->wait_node];
	}
	for (size_t i = 0; i < from->entered_count && !j->failed; i++) {
		struct run_entered *row = &to->entered[to->entered_count++];

		*row = from->entered[i];
		row->rank += (uint32_t)j->ranks;
	}
	if (from->looked_ns)
		to->looked_ns = from->looked_ns;
}

static struct run_comm *joined_comm(struct run_calls *calls, uint64_t id)
{
	for (size_t i = 0; id && i < calls->comm_count; i++)
		if (calls->comms[i].id == id)
			return &calls->comms[i];
	return NULL;
}

static void join_comms(struct join *j)
{
	struct run_calls *to = &j->to->calls;
	const struct run_calls *from = &j->from->calls;

	to->peer_block = from->peer_block;
	to->comms = grow_rows(j, to->comms, to->comm_count, from->comm_count,
			      sizeof(*to->comms));
	for (size_t i = 0; i < from->comm_count && !j->failed; i++) {
		struct run_comm row = from->comms[i];
		struct run_comm *same = joined_comm(to, row.id);

		run_comm_take(j, &row);
		if (!same) {
			to->comms[to->comm_count++] = row;
			continue;
		}
		same->seen += row.seen;
		same->calls += row.calls;
		if (row.instances > same->instances)
			same->instances = row.instances;
	}
}

/* Members first, by rank; the others. */
struct joined_rank {
	struct run_rank row;
	uint32_t was;
	bool member;
};

ORDER_BY(by_joined_rank, struct joined_rank,
	 DESC(member) ?: ASC(row.rank) ?: ASC(row.pid) ?: ASC(was))

ORDER_BY(by_joined_call, struct run_last_call, ASC(rank) ?: ASC(tid))

ORDER_BY(by_joined_comm, struct run_entered, ASC(comm) ?: ASC(rank))

static bool is_joined_member(const struct join *j, size_t rank, size_t members)
{
	return rank < members ||
	       (rank >= j->ranks && rank - j->ranks < j->from->member_count);
}

static void renumber_ranks(struct run_ends *ends, const uint32_t *place)
{
	for (size_t i = 0; i < ends->call_count; i++)
		ends->calls[i].rank = place[ends->calls[i].rank];
	for (size_t i = 0; i < ends->entered_count; i++)
		ends->entered[i].rank = place[ends->entered[i].rank];
	if (ends->call_count)
		qsort(ends->calls, ends->call_count, sizeof(*ends->calls),
		      by_joined_call);
	if (ends->entered_count)
		qsort(ends->entered, ends->entered_count,
		      sizeof(*ends->entered), by_joined_comm);
}

static void sort_joined_ranks(struct join *j)
{
	struct run *to = j->to;
	size_t count = to->rank_count, members = to->member_count;
	struct joined_rank *rows = calloc(count + 1, sizeof(*rows));
	uint32_t *place = calloc(count + 1, sizeof(*place));

	j->failed |= !rows || !place;
	for (size_t i = 0; i < count && !j->failed; i++)
		rows[i] = (struct joined_rank){
			.row = to->ranks[i],
			.was = (uint32_t)i,
			.member = is_joined_member(j, i, members),
		};
	if (!j->failed) {
		qsort(rows, count, sizeof(*rows), by_joined_rank);
		for (size_t i = 0; i < count; i++) {
			to->ranks[i] = rows[i].row;
			place[rows[i].was] = (uint32_t)i;
		}
		renumber_ranks(&to->ends, place);
		to->member_count += j->from->member_count;
	}
	free(rows);
	free(place);
}

/* A run has a row of waits for each process. */
static void make_wait_rows(struct join *j)
{
	struct run_waits *waits = &j->to->waits;

	waits->ranks = grow_rows(j, waits->ranks, waits->rank_count,
				 j->to->rank_count - waits->rank_count,
				 sizeof(*waits->ranks));
	if (!j->failed)
		waits->rank_count = j->to->rank_count;
}

int run_join_ends(struct run *to, const struct run *from)
{
	struct join j = {
		.to = to,
		.from = from,
		.node_of = calloc(from->node_count + 1, sizeof(*j.node_of)),
		.ranks = to->rank_count,
	};

	j.failed = !j.node_of;
	if (!j.failed) {
		join_run_words(&j);
		join_nodes(&j);
		join_ranks(&j);
		join_calls(&j);
		join_comms(&j);
	}
	if (!j.failed)
		sort_joined_nodes(&j);
	if (!j.failed)
		sort_joined_ranks(&j);
	if (!j.failed)
		make_wait_rows(&j);
	free(j.node_of);
	return j.failed ? no_memory() : 0;
}
