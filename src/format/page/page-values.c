/* SPDX-License-Identifier: BSD-3-Clause */
/* page-values.c - what each process has in the tree, and waiting, for a page.
 */
#include <math.h>

#include "analyse/mpi/wait-causes.h"
#include "format/page/page-parts.h"
#include "format/quote.h"
#include "run/values.h"

enum {
	MOST_CAUSES = 500, /* of waiting; the others become one */
	FEW_CELLS = 8,     /* of a node: processes whose times are rounded */
	ROUND_BITS = 10    /* to so many */
};

#define CAUSES_SHARE 0.95 /* of all waiting: more of them are not needed */

static uint64_t round_to_bits(uint64_t value)
{
	int low = 64 - ROUND_BITS - __builtin_clzll(value | 1);
	uint64_t half = low > 0 ? (uint64_t)1 << low >> 1 : 0;

	return low > 0 ? (value + half) >> low << low : value;
}

/*
 * Of few processes, where a time that was not sampled is most of a page: each
 * within 0.1 %, and the largest so that the sum is exact, within 0.7 %.
 */
static void put_rounded_values(struct page_stream *s,
			       const struct run_value *at, size_t count)
{
	uint64_t left = 0;
	size_t most = 0;

	for (size_t i = 0; i < count; i++) {
		most = at[i].value > at[most].value ? i : most;
		left += at[i].value - round_to_bits(at[i].value);
	}
	for (size_t i = 0; i < count; i++)
		page_number(s, round_to_bits(at[i].value) +
				       (i == most ? left : 0));
}

static void put_cell_values(struct page_stream *s, const struct run_metric *m,
			    const struct run_value *at, size_t count)
{
	if (page_rounds(m) && count <= FEW_CELLS)
		put_rounded_values(s, at, count);
	else
		for (size_t i = 0; i < count; i++)
			page_number(s, at[i].value);
}

/* One of the three arrays: how many values a node has, whose, and they. */
static int put_cell_column(struct page_stream *s, const struct run *run,
			   size_t metric, int column)
{
	const struct run_metric *m = &run->metrics[metric];
	struct value_buffer buffer = { 0 };
	int err = 0;

	for (size_t n = 0; n < run->node_count && !err; n++) {
		const struct run_value *at;
		size_t count;

		err = values_of_node(run, metric, n, &buffer, &at, &count);
		if (err || page_leaves_out(m, n))
			count = 0;
		if (column == 0)
			page_number(s, count);
		for (size_t i = 0; i < count && column == 1; i++)
			page_number(s, at[i].rank);
		if (column == 2)
			put_cell_values(s, m, at, count);
	}
	value_buffer_fini(&buffer);
	return err;
}

static int put_cells(struct page_stream *s, const struct run *run,
		     size_t metric)
{
	static const char *const parts[] = { ".first", ".rank", ".value" };
	int err = 0;

	for (int column = 0; column < 3 && !err; column++) {
		page_array_of(s, "cell", &run->metrics[metric], parts[column],
			      PAGE_VARINT);
		err = put_cell_column(s, run, metric, column);
		page_array_end(s);
	}
	return err;
}

static int put_all_cells(struct page_stream *s, const struct overview *o)
{
	int err = 0;

	for (size_t i = 0; i < o->run->metric_count && !err; i++)
		if (o->in_cells[i])
			err = put_cells(s, o->run, i);
	return err;
}

/*
 * A picture of more processes.
 */

static void put_codes(struct page_stream *s, const struct path_heat *h,
		      const char *what, const char *part, const uint8_t *codes,
		      size_t count)
{
	page_array_of(s, what, h->metric, part, PAGE_U8);
	for (size_t i = 0; i < count; i++)
		page_number(s, codes[i]);
	page_array_end(s);
}

static void put_path_nodes(struct page_stream *s, const struct overview *o,
			   const struct path_heat *h, const char *what,
			   const uint32_t *paths, size_t count)
{
	page_array_of(s, what, h->metric, ".nodes", PAGE_DELTA);
	for (size_t i = 0; i < count; i++)
		page_number(s, o->paths.at[paths[i]].node);
	page_array_end(s);
}

static void put_heat_sums(struct page_stream *s, const struct path_heat *h)
{
	page_array_of(s, "heat", h->metric, ".least", PAGE_VARINT);
	for (size_t i = 0; i < h->count; i++)
		page_number(s, h->sums[i].min);
	page_array_end(s);
	page_array_of(s, "heat", h->metric, ".max", PAGE_VARINT);
	for (size_t i = 0; i < h->count; i++)
		page_number(s, h->sums[i].max);
	page_array_end(s);
	page_array_of(s, "heat", h->metric, ".maxrank", PAGE_VARINT);
	for (size_t i = 0; i < h->count; i++)
		page_number(s, h->sums[i].max_rank);
	page_array_end(s);
}

static void put_heat(struct page_stream *s, const struct overview *o,
		     const struct path_heat *h)
{
	size_t processes = o->run->rank_count;

	put_path_nodes(s, o, h, "heat", h->paths, h->count);
	put_codes(s, h, "heat", ".mean", h->mean, h->count * o->groups.count);
	put_codes(s, h, "heat", ".most", h->most, h->count * o->groups.count);
	put_heat_sums(s, h);
	put_path_nodes(s, o, h, "strip", h->strips, h->strip_count);
	put_codes(s, h, "strip", ".values", h->strip_codes,
		  h->strip_count * processes);
	put_path_nodes(s, o, h, "exact", h->exact, h->exact_count);
	page_array_of(s, "exact", h->metric, ".values", PAGE_VARINT);
	for (size_t i = 0; i < h->exact_count * processes; i++)
		page_number(s, h->exact_values[i]);
	page_array_end(s);
}

static void put_heats(struct page_stream *s, const struct overview *o)
{
	fputs("\"heat\": [", s->json);
	for (size_t i = 0; i < o->heat_count; i++) {
		fputs(i ? ", {\"metric\": " : "{\"metric\": ", s->json);
		quote_json(s->json, o->heats[i].metric->name);
		fprintf(s->json, ", \"top\": %.0f}", o->heats[i].top);
		put_heat(s, o, &o->heats[i]);
	}
	fputs("],\n", s->json);
}

int page_put_values(struct page_stream *s, const struct overview *o)
{
	const struct rank_group *g = o->groups.at;

	PAGE_COLUMN(s, "group.first", PAGE_DELTA, o->groups.count, g[i].first);
	PAGE_COLUMN(s, "group.count", PAGE_VARINT, o->groups.count, g[i].count);
	put_heats(s, o);
	return put_all_cells(s, o);
}

/*
 * Waiting.
 */

static void put_wait_kinds(struct page_stream *s)
{
	fputs("\"waitKinds\": [", s->json);
	for (int i = 0; i < WAIT_KINDS; i++)
		fprintf(s->json, "%s{\"name\": \"%s\", \"title\": \"%s\"}",
			i ? ", " : "", wait_names[i].name, wait_names[i].title);
	fputs("],\n", s->json);
}

/* The largest, until they are nearly all of the waiting. */
static size_t count_of_causes(const struct run_waits *w)
{
	double all = 0, sum = 0;
	size_t count = 0;

	for (size_t i = 0; i < w->cause_count; i++)
		all += w->causes[i].ns;
	while (count < w->cause_count && count < MOST_CAUSES &&
	       sum < CAUSES_SHARE * all)
		sum += w->causes[count++].ns;
	return count;
}

/* These, and behind them one that stands for all others. */
static size_t shown_causes(const struct run_waits *w, struct run_cause *to)
{
	size_t count = count_of_causes(w);
	struct run_cause *others = &to[count];

	for (size_t i = 0; i < count; i++)
		to[i] = w->causes[i];
	others->culprit = WAIT_OTHERS;
	others->kind = WAIT_KINDS;
	for (size_t i = count; i < w->cause_count; i++)
		others->ns += w->causes[i].ns;
	return count + (w->cause_count > count);
}

static void put_page_causes(struct page_stream *s, const struct run *run)
{
	struct run_cause causes[MOST_CAUSES + 1] = { 0 }, *c = causes;
	size_t count = shown_causes(&run->waits, causes);

	PAGE_COLUMN(s, "cause.kind", PAGE_U8, count, c[i].kind);
	PAGE_COLUMN(s, "cause.victim", PAGE_VARINT, count, c[i].victim);
	PAGE_COLUMN(s, "cause.culprit", PAGE_VARINT, count,
		    c[i].culprit == WAIT_OTHERS ? run->rank_count
						: c[i].culprit);
	PAGE_COLUMN(s, "cause.ns", PAGE_VARINT, count, page_whole(c[i].ns));
}

void page_put_waits(struct page_stream *s, const struct run *run)
{
	const struct run_waits *w = &run->waits;
	const struct run_cause_context *c = w->contexts;
	const struct run_cause_victim *v = w->victims;
	size_t causes = count_of_causes(w), contexts = 0, victims = 0;

	while (victims < w->victim_count && v[victims].cause < causes)
		victims++;
	while (contexts < w->context_count && c[contexts].cause < causes)
		contexts++;
	put_wait_kinds(s);
	put_page_causes(s, run);
	PAGE_COLUMN(s, "context.cause", PAGE_DELTA, contexts, c[i].cause);
	PAGE_COLUMN(s, "context.node", PAGE_VARINT, contexts, c[i].node);
	PAGE_COLUMN(s, "context.flags", PAGE_U8, contexts, c[i].flags);
	PAGE_COLUMN(s, "context.us", PAGE_VARINT, contexts,
		    page_whole(round(c[i].ns / 1e3)));
	PAGE_COLUMN(s, "victim.cause", PAGE_DELTA, victims, v[i].cause);
	PAGE_COLUMN(s, "victim.rank", PAGE_DELTA, victims, v[i].rank);
	PAGE_COLUMN(s, "victim.us", PAGE_VARINT, victims,
		    page_whole(round(v[i].ns / 1e3)));
}
