/* SPDX-License-Identifier: BSD-3-Clause */
/* fact-heap.c - functions that allocate memory (copse run --heap=on). */
#include <math.h>
#include <stdlib.h>

#include "analyse/base/phrase.h"
#include "analyse/base/processes.h"
#include "analyse/base/value.h"
#include "analyse/diagnose/facts.h"
#include "analyse/paths/paths.h"
#include "analyse/ranks/heap-use.h"
#include "base/err.h"
#include "base/str.h"

#define FRAMES 3

#define HEAP_FIELDS(FIELD)                                                     \
	FIELD(GROWTH, "growth", BYTES,                                         \
	      "what it holds grew steadily on the rank where it grew most: "   \
	      "so much at that rate in the whole run")                         \
	FIELD(SECOND, "second", BYTES, "the same, each second")                \
	FIELD(ITERATION, "iteration", BYTES,                                   \
	      "the same, each iteration; 0: there are none")                   \
	FIELD(OF_PEAK, "of_peak", SHARE,                                       \
	      "growth, of what that rank held at most")                        \
	FIELD(EACH, "each", TEXT,                                              \
	      "\"3.10 MiB each iteration\", or each second")                   \
	FIELD(ALLOCATIONS, "allocations", COUNT, "number of allocations")      \
	FIELD(ALLOCATED, "allocated", BYTES, "by them")                        \
	FIELD(SIZE, "size", BYTES, "the mean of one")                          \
	FIELD(RATE, "rate", COUNT, "allocations per second of CPU time")       \
	FIELD(YOUNG, "young", SHARE,                                           \
	      "of the allocations, those freed within a millisecond")          \
	FIELD(HELD, "held", BYTES,                                             \
	      "of it, when the rank with most of it held most memory")         \
	FIELD(SAMPLES, "samples", COUNT, "allocations that were sampled")      \
	FIELD(RANK, "rank", TEXT, "the rank where it grew or held most")       \
	FIELD(FUNCTION, "function", TEXT, "the function, and its callers")

FACT_TABLE(heap_fields, HEAP_FIELDS)

static char *rank_text(const struct run *run, uint32_t rank)
{
	return str_format("%s %ju", processes_noun(run),
			  (uintmax_t)processes_number(run, rank));
}

static char *each_text(double second, double iteration)
{
	char bytes[32];

	return iteration > 0 ? str_format("%s each iteration",
					  phrase_bytes(bytes, iteration))
			     : str_format("%s each second",
					  phrase_bytes(bytes, second));
}

static int add_heap_fact(struct facts *to, const struct fact_source *from,
			 const struct heap_use *use, const struct heap_row *row)
{
	uint32_t rank = row->grows > 0 ? row->grows_rank : row->holds_rank;
	double second = heap_use_each_second(from->run, rank, row->grows);
	double step = second * heap_use_iteration(from->run, rank);
	struct fact *f = facts_add(to, row->path);
	const double *v = row->values;

	if (!f)
		return no_memory();
	f->values[GROWTH].number = row->grows;
	f->values[SECOND].number = second;
	f->values[ITERATION].number = step;
	f->values[OF_PEAK].number = value_ratio(row->grows, use->held[rank]);
	f->values[EACH].text = each_text(second, step);
	f->values[ALLOCATIONS].number = v[HEAP_ALLOCATIONS];
	f->values[ALLOCATED].number = v[HEAP_ALLOCATED];
	f->values[SIZE].number =
		value_ratio(v[HEAP_ALLOCATED], v[HEAP_ALLOCATIONS]);
	f->values[RATE].number =
		value_ratio(v[HEAP_ALLOCATIONS], from->sampled);
	f->values[YOUNG].number =
		value_ratio(v[HEAP_YOUNG], v[HEAP_ALLOCATIONS]);
	f->values[HELD].number = row->holds;
	f->values[SAMPLES].number = v[HEAP_SAMPLES];
	f->values[RANK].text = rank_text(from->run, rank);
	f->values[FUNCTION].text = paths_short(from->paths, row->path, FRAMES);
	return f->values[EACH].text && f->values[RANK].text &&
			       f->values[FUNCTION].text
		       ? 0
		       : no_memory();
}

static int gather_heap_facts(struct facts *to, struct fact_source *from)
{
	struct heap_use use;
	int err = heap_use_init(&use, from->paths);

	for (size_t i = 0; i < use.count && !err; i++)
		err = add_heap_fact(to, from, &use, &use.at[i]);
	heap_use_fini(&use);
	return err;
}

const struct fact_set fact_set_heap = {
	.name = "heap",
	.meaning = "functions of the program that allocate memory",
	.fields = heap_fields,
	.field_count = FIELDS,
	.no_time = true,
	.counted = "samples",
	.gather = gather_heap_facts,
};
