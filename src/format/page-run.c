/* SPDX-License-Identifier: BSD-3-Clause */
/* page-run.c - the tree of a run, its metrics and its processes, for a page. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "format/page-parts.h"
#include "format/quote.h"
#include "run/values.h"

#define US 1000 /* of a microsecond */

/* Values that a page has room for; beyond, groups of processes stand for them.
 */
enum {
	MOST_CELLS = 60000
};

/*
 * Only strings that are referred to, numbered as they come.
 */

struct page_strings {
	const struct run *run;
	uint32_t *number; /* by string of the run, + 1 */
	uint32_t *used;
	uint32_t count;
};

static int page_strings_init(struct page_strings *t, const struct run *run)
{
	size_t room = run->strings.count + 1;

	*t = (struct page_strings){
		.run = run,
		.number = calloc(room, sizeof(*t->number)),
		.used = calloc(room, sizeof(*t->used)),
	};
	if (!t->number || !t->used)
		return no_memory();
	t->number[0] = ++t->count; /* "" */
	return 0;
}

static void page_strings_fini(struct page_strings *t)
{
	free(t->number);
	free(t->used);
}

static uint32_t page_string(struct page_strings *t, uint32_t string)
{
	if (string >= t->run->strings.count)
		string = 0;
	if (!t->number[string]) {
		t->used[t->count] = string;
		t->number[string] = ++t->count;
	}
	return t->number[string] - 1;
}

static void put_strings(struct page_stream *s, const struct page_strings *t)
{
	fputs("\"strings\": [", s->json);
	for (uint32_t i = 0; i < t->count; i++) {
		fputs(i ? ",\n" : "", s->json);
		quote_json(s->json, str_at(&t->run->strings, t->used[i]));
	}
	fputs("],\n", s->json);
}

/*
 * Columns, each a member of an array of structs.
 */

#define PUT_COLUMN(s, name, type, count, number)                               \
	do {                                                                   \
		page_array(s, name, type);                                     \
		for (size_t i = 0; i < (count); i++)                           \
			page_number(s, (uint64_t)(number));                    \
		page_array_end(s);                                             \
	} while (0)

static void put_page_nodes(struct page_stream *s, const struct overview *o,
			   struct page_strings *t)
{
	const struct run_node *n = o->run->nodes;
	size_t count = o->run->node_count;

	PUT_COLUMN(s, "node.parent", PAGE_DELTA, count, n[i].parent);
	PUT_COLUMN(s, "node.kind", PAGE_U8, count, n[i].kind);
	PUT_COLUMN(s, "node.flags", PAGE_U8, count, n[i].flags);
	PUT_COLUMN(s, "node.function", PAGE_VARINT, count,
		   page_string(t, n[i].function));
	PUT_COLUMN(s, "node.module", PAGE_VARINT, count,
		   page_string(t, n[i].module));
	PUT_COLUMN(s, "node.file", PAGE_VARINT, count,
		   page_string(t, n[i].file));
	PUT_COLUMN(s, "node.line", PAGE_DELTA, count, n[i].line);
	PUT_COLUMN(s, "node.detail", PAGE_VARINT, count, n[i].detail);
	PUT_COLUMN(s, "node.path", PAGE_DELTA, count, o->paths.of[i]);
}

static void put_processes(struct page_stream *s, const struct overview *o,
			  struct page_strings *t)
{
	const struct run *run = o->run;
	const struct run_rank *r = run->ranks;
	size_t count = run->rank_count;

	fputs("\"ranks\": {\"noun\": ", s->json);
	quote_json(s->json, processes_noun(run));
	fprintf(s->json,
		", \"count\": %zu, \"members\": %zu, \"world\": %u},\n", count,
		run->member_count, run->world);
	PUT_COLUMN(s, "rank.number", PAGE_DELTA, count,
		   processes_number(run, i));
	PUT_COLUMN(s, "rank.host", PAGE_DELTA, count,
		   page_string(t, r[i].host));
	PUT_COLUMN(s, "rank.threads", PAGE_VARINT, count, r[i].threads);
	PUT_COLUMN(s, "rank.elapsed", PAGE_DELTA, count, r[i].elapsed_ns / US);
	PUT_COLUMN(s, "rank.cpu", PAGE_DELTA, count, r[i].cpu_ns / US);
	PUT_COLUMN(s, "rank.mpi", PAGE_DELTA, count, r[i].mpi_time_ns / US);
}

/*
 * Metrics: the sum over all processes of each node, and what each has.
 */

static bool is_node_idle(const struct run_metric *m, size_t node)
{
	return m->idle && m->idle->nodes[node];
}

/* Whole numbers, and exact below 2^53, in ns 104 days. */
static uint64_t node_sum(const struct run_metric *m, size_t node)
{
	if (is_node_idle(m, node))
		return 0;
	if (m->merge != MERGE_SUM)
		return m->merge == MERGE_MAX ? m->stats[node].most
					     : m->stats[node].least;
	return (uint64_t)m->stats[node].sum;
}

static void array_of(struct page_stream *s, const char *what,
		     const struct run_metric *m, const char *part,
		     enum page_array_type type)
{
	char name[96];

	snprintf(name, sizeof(name), "%s.%s%s", what, m->name, part);
	page_array(s, name, type);
}

static void put_page_metric(struct page_stream *s, const struct run *run,
			    const struct run_metric *m)
{
	static const char *const units[] = { "count", "ns", "bytes" };
	static const char *const merges[] = { "sum", "max", "min" };
	uint64_t total = 0;

	array_of(s, "sum", m, "", PAGE_VARINT);
	for (size_t n = 0; n < run->node_count; n++) {
		total += node_sum(m, n);
		page_number(s, node_sum(m, n));
	}
	page_array_end(s);
	fputs("{\"name\": ", s->json);
	quote_json(s->json, m->name);
	fprintf(s->json,
		", \"unit\": \"%s\", \"merge\": \"%s\", \"sampled\": %s, "
		"\"total\": ",
		units[m->unit], merges[m->merge],
		run_is_sampled(m) ? "true" : "false");
	if (m->merge == MERGE_SUM)
		fprintf(s->json, "%" PRIu64 "}", total);
	else
		fputs("null}", s->json);
}

static void put_page_metrics(struct page_stream *s, const struct overview *o)
{
	const struct run *run = o->run;

	fputs("\"metric\": ", s->json);
	quote_json(s->json, o->metric ? o->metric->name : NULL);
	fputs(",\n\"metrics\": [", s->json);
	for (size_t i = 0; i < run->metric_count; i++) {
		fputs(i ? ",\n" : "", s->json);
		put_page_metric(s, run, &run->metrics[i]);
	}
	fputs("],\n", s->json);
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
		if (err || is_node_idle(m, n))
			count = 0;
		if (column == 0)
			page_number(s, count);
		for (size_t i = 0; i < count && column; i++)
			page_number(s, column == 1 ? at[i].rank : at[i].value);
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
		array_of(s, "cell", &run->metrics[metric], parts[column],
			 PAGE_VARINT);
		err = put_cell_column(s, run, metric, column);
		page_array_end(s);
	}
	return err;
}

/* The shortest metrics first would be unfair: in the run's order. */
static int put_all_cells(struct page_stream *s, const struct run *run)
{
	uint64_t left = MOST_CELLS;
	int err = 0;

	for (size_t i = 0; i < run->metric_count && !err; i++) {
		const struct run_metric *m = &run->metrics[i];
		uint64_t count = m->first[run->node_count];

		if (m->merge != MERGE_SUM || count > left ||
		    run->rank_count < 2)
			continue;
		left -= count;
		err = put_cells(s, run, i);
	}
	return err;
}

/*
 * What was lost, and what is missing.
 */

static void put_trouble(struct page_stream *s, const struct run *run)
{
	const struct strings *names = &run->strings;

	fputs("\"losses\": [", s->json);
	for (size_t i = 0; i < run->loss_count; i++) {
		const struct run_loss *l = &run->losses[i];

		fputs(i ? ",\n{\"name\": " : "{\"name\": ", s->json);
		quote_json(s->json, str_at(names, l->name));
		fprintf(s->json, ", \"rank\": %u, \"count\": %" PRIu64 "}",
			l->rank, l->count);
	}
	fputs("],\n\"problems\": [", s->json);
	for (size_t i = 0; i < run->problem_count; i++) {
		const struct run_problem *p = &run->problems[i];

		fputs(i ? ",\n{\"source\": " : "{\"source\": ", s->json);
		quote_json(s->json, str_at(names, p->source));
		fputs(", \"text\": ", s->json);
		quote_json(s->json, str_at(names, p->text));
		fputc('}', s->json);
	}
	fputs("],\n", s->json);
}

int page_put_run(struct page_stream *s, const struct overview *o)
{
	struct page_strings strings;
	int err = page_strings_init(&strings, o->run);

	if (!err) {
		put_page_nodes(s, o, &strings);
		put_processes(s, o, &strings);
		put_page_metrics(s, o);
		put_trouble(s, o->run);
		put_strings(s, &strings);
		err = put_all_cells(s, o->run);
	}
	page_strings_fini(&strings);
	return err;
}
