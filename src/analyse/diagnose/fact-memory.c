/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fact-memory.c - the memory that was held: a row for each host, and one for
 * the rank that held most.
 */
#include <stdlib.h>
#include <string.h>

#include "analyse/base/processes.h"
#include "analyse/base/value.h"
#include "analyse/diagnose/facts.h"
#include "analyse/paths/paths.h"
#include "analyse/ranks/heap-use.h"
#include "analyse/ranks/memory-use.h"
#include "base/comparison.h"
#include "base/err.h"
#include "base/str.h"

#define FRAMES 3

#define MEMORY_FIELDS(FIELD)                                                   \
	FIELD(USED, "used", BYTES,                                             \
	      "the most that a host, or its control group with a limit, held") \
	FIELD(OF, "of", BYTES, "memory of that host, or that limit")           \
	FIELD(USED_SHARE, "used_share", SHARE, "the one of the other")         \
	FIELD(KILLS, "kills", NUMBER, "processes killed there for that")       \
	FIELD(WHERE, "where", TEXT, "that host, or that control group")        \
	FIELD(MOST, "most", BYTES, "what the rank with most memory held")      \
	FIELD(TYPICAL, "typical", BYTES, "the median of all ranks")            \
	FIELD(TIMES, "times", NUMBER, "the one by the other")                  \
	FIELD(RANKS, "count", NUMBER, "ranks")                                 \
	FIELD(RANK, "rank", TEXT, "that rank")                                 \
	FIELD(BY, "by", TEXT,                                                  \
	      "\", most of the difference allocated in\" which function, "     \
	      "where that is known; or empty")

FACT_TABLE(memory_fields, MEMORY_FIELDS)

static int add_host_fact(struct facts *to, const struct memory_use *u,
			 const struct memory_host *h)
{
	const struct run_rank *r = &u->run->ranks[u->at[h->first].of->rank];
	const char *host = str_at(&u->run->strings, r->host);
	struct fact *f = facts_add(to, 0);
	uint64_t of, used = memory_used(h, &of);

	if (!f)
		return no_memory();
	f->values[USED].number = (double)used;
	f->values[OF].number = (double)of;
	f->values[USED_SHARE].number = value_ratio((double)used, (double)of);
	f->values[KILLS].number = (double)h->kills;
	f->values[WHERE].text =
		str_format(h->limit ? "the control group on %s" : "%s", host);
	f->values[RANK].text = strdup("");
	f->values[BY].text = strdup("");
	return f->values[WHERE].text && f->values[RANK].text &&
			       f->values[BY].text
		       ? 0
		       : no_memory();
}

ORDER_POINTERS_BY(by_held, struct memory_process, ASC(most) ?: ASC(of->rank))

/* Members alone, and no workers: what ranks start is not like them. */
static size_t sort_members(const struct memory_process **to,
			   const struct memory_use *u)
{
	size_t count = 0;

	for (size_t i = 0; i < u->count; i++) {
		uint32_t rank = u->at[i].of->rank;

		if (rank < u->run->member_count && !u->run->ranks[rank].role)
			to[count++] = &u->at[i];
	}
	if (count)
		qsort(to, count, sizeof(struct memory_process *), by_held);
	return count;
}

/* With copse run --heap: which function has more than half of it. */
static char *difference_text(const struct fact_source *from, uint32_t rank,
			     double difference)
{
	const struct heap_row *row;
	char *path = NULL, *text = NULL;
	struct heap_use heap;

	if (heap_use_init(&heap, from->paths))
		return NULL;
	row = heap_use_excess(&heap, rank, difference / 2);
	if (row)
		path = paths_short(from->paths, row->path, FRAMES);
	if (path)
		text = str_format(", most of the difference allocated in %s",
				  path);
	else if (!row)
		text = strdup("");
	free(path);
	heap_use_fini(&heap);
	return text;
}

/* Of ranks, which should be alike: a program's helpers need not be. */
static int add_rank_fact(struct facts *to, const struct fact_source *from,
			 const struct memory_use *u)
{
	const struct memory_process **at = calloc(u->count + 1, sizeof(*at));
	size_t count = at ? sort_members(at, u) : 0;
	bool has_ranks = u->run->world && count > 2;
	struct fact *f = has_ranks ? facts_add(to, 0) : NULL;
	int err = !at || (has_ranks && !f) ? no_memory() : 0;

	if (f) {
		const struct memory_process *most = at[count - 1];
		double typical = (double)at[(count - 1) / 2]->most;

		f->values[MOST].number = (double)most->most;
		f->values[TYPICAL].number = typical;
		f->values[TIMES].number =
			value_ratio((double)most->most, typical);
		f->values[RANKS].number = (double)count;
		f->values[WHERE].text = strdup("");
		f->values[RANK].text = str_format(
			"Rank %llu", (unsigned long long)processes_number(
					     u->run, most->of->rank));
		f->values[BY].text = difference_text(
			from, most->of->rank, (double)most->most - typical);
		if (!f->values[WHERE].text || !f->values[RANK].text ||
		    !f->values[BY].text)
			err = no_memory();
	}
	free(at);
	return err;
}

static int gather_memory(struct facts *to, struct fact_source *from)
{
	struct memory_use use;
	int err = memory_use_init(&use, from->run);

	for (size_t i = 0; i < use.host_count && !err; i++)
		err = add_host_fact(to, &use, &use.hosts[i]);
	if (!err)
		err = add_rank_fact(to, from, &use);
	memory_use_fini(&use);
	return err;
}

const struct fact_set fact_set_memory = {
	.name = "memory",
	.meaning = "hosts, and the rank that held most memory",
	.fields = memory_fields,
	.field_count = FIELDS,
	.no_time = true,
	.gather = gather_memory,
};
