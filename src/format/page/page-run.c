/* SPDX-License-Identifier: BSD-3-Clause */
/* page-run.c - the tree of a run, its metrics and its processes, for a page. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/paths/own-paths.h"
#include "base/err.h"
#include "format/page/page-parts.h"
#include "format/quote.h"

#define US  1000 /* of a microsecond */
#define OWN 128  /* in node.flags: reports name it as the program's */

static bool node_is_own(const struct run *run, uint32_t node)
{
	return run->nodes[node].kind == RUN_FUNCTION && paths_is_own(run, node);
}

void page_put_kinds(struct page_stream *s)
{
	fputs("\"nodeKinds\": [", s->json);
	for (int i = 0; i < RUN_KINDS; i++)
		fprintf(s->json,
			"%s{\"name\": \"%s\", \"group\": \"%s\", \"part\": %s}",
			i ? ", " : "", run_kinds[i].name, run_kinds[i].group,
			run_kinds[i].role == ROLE_PART ? "true" : "false");
	fputs("],\n", s->json);
}

/*
 * The node's caller on the page: what starts a program has a path for its own
 * samples, and what it calls is beside that.
 */
static uint32_t caller_on_page(const struct overview *o, size_t n)
{
	const struct paths *paths = &o->paths;
	uint32_t path = paths->of[n], up = o->run->nodes[n].parent;

	while (up && paths->of[up] != path &&
	       paths->at[path].parent != paths->of[up])
		up = o->run->nodes[up].parent;
	return up;
}

static void put_page_nodes(struct page_stream *s, const struct overview *o,
			   struct page_strings *t)
{
	const struct run_node *n = o->run->nodes;
	size_t count = o->run->node_count;

	PAGE_COLUMN(s, "node.parent", PAGE_DELTA, count, caller_on_page(o, i));
	PAGE_COLUMN(s, "node.kind", PAGE_U8, count, n[i].kind);
	PAGE_COLUMN(s, "node.flags", PAGE_U8, count,
		    n[i].flags | (node_is_own(o->run, (uint32_t)i) ? OWN : 0));
	PAGE_COLUMN(s, "node.function", PAGE_VARINT, count,
		    page_string(t, n[i].function));
	PAGE_COLUMN(s, "node.module", PAGE_VARINT, count,
		    page_string(t, n[i].module));
	PAGE_COLUMN(s, "node.file", PAGE_VARINT, count,
		    page_string(t, n[i].file));
	PAGE_COLUMN(s, "node.line", PAGE_DELTA, count, n[i].line);
	PAGE_COLUMN(s, "node.detail", PAGE_VARINT, count, n[i].detail);
	PAGE_COLUMN(s, "node.path", PAGE_DELTA, count, o->paths.of[i]);
}

static void put_processes(struct page_stream *s, const struct overview *o,
			  struct page_strings *t)
{
	const struct run *run = o->run;
	const struct run_wait_rank *w = run->waits.ranks;
	const struct run_rank *r = run->ranks;
	size_t count = run->rank_count;

	fputs("\"ranks\": {\"noun\": ", s->json);
	quote_json(s->json, processes_noun(run));
	fprintf(s->json,
		", \"count\": %zu, \"members\": %zu, \"world\": %u},\n", count,
		run->member_count, run->world);
	PAGE_COLUMN(s, "rank.number", PAGE_DELTA, count,
		    processes_number(run, i));
	PAGE_COLUMN(s, "rank.host", PAGE_DELTA, count,
		    page_string(t, r[i].host));
	PAGE_COLUMN(s, "rank.threads", PAGE_VARINT, count, r[i].threads);
	PAGE_COLUMN(s, "rank.elapsed", PAGE_DELTA, count, r[i].elapsed_ns / US);
	PAGE_COLUMN(s, "rank.cpu", PAGE_DELTA, count, r[i].cpu_ns / US);
	PAGE_COLUMN(s, "rank.mpi", PAGE_DELTA, count, r[i].mpi_time_ns / US);
	if (!w || run->waits.rank_count != count)
		return;
	PAGE_COLUMN(s, "rank.waited", PAGE_DELTA, count,
		    page_whole(w[i].waited_ns / US));
	PAGE_COLUMN(s, "rank.caused", PAGE_DELTA, count,
		    page_whole(w[i].caused_ns / US));
}

/*
 * Metrics: the sum over all processes of each node, and what each has.
 */

/* Whole numbers, and exact below 2^53, in ns 104 days. */
static uint64_t node_sum(const struct run_metric *m, size_t node)
{
	return page_leaves_out(m, node) ? 0 : page_whole(m->stats[node].sum);
}

/* The sum of each node, unless its cells tell it, or it is an extreme. */
static void put_node_sums(struct page_stream *s, const struct run *run,
			  const struct run_metric *m)
{
	page_array_of(s, "sum", m, "", PAGE_VARINT);
	for (size_t n = 0; n < run->node_count; n++)
		page_number(s, node_sum(m, n));
	page_array_end(s);
}

static void put_page_metric(struct page_stream *s, const struct overview *o,
			    const struct run_metric *m)
{
	const struct run *run = o->run;
	static const char *const units[] = { "count", "ns", "bytes" };
	static const char *const merges[] = { "sum", "max", "min" };
	uint64_t total = 0;

	for (size_t n = 0; m->merge == MERGE_SUM && n < run->node_count; n++)
		total += node_sum(m, n);
	if (m->merge == MERGE_SUM && !o->in_cells[m - run->metrics])
		put_node_sums(s, run, m);
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
		put_page_metric(s, o, &run->metrics[i]);
	}
	fputs("],\n", s->json);
}

/*
 * What was lost, and what is missing.
 */

/* Of a reason, all processes together, and the one with most. */
static void put_losses(struct page_stream *s, const struct run *run)
{
	const struct run_loss *l = run->losses;
	size_t next;

	fputs("\"losses\": [", s->json);
	for (size_t i = 0; i < run->loss_count; i = next) {
		uint64_t sum = 0;
		size_t most = i;

		for (next = i; next < run->loss_count; next++) {
			if (l[next].name != l[i].name)
				break;
			sum += l[next].count;
			most = l[next].count > l[most].count ? next : most;
		}
		fputs(i ? ",\n{\"name\": " : "{\"name\": ", s->json);
		quote_json(s->json, str_at(&run->strings, l[i].name));
		fprintf(s->json,
			", \"count\": %" PRIu64
			", \"ranks\": %zu, \"most\": %u}",
			sum, next - i, l[most].rank);
	}
	fputs("],\n", s->json);
}

static void put_trouble(struct page_stream *s, const struct run *run)
{
	const struct strings *names = &run->strings;

	put_losses(s, run);
	fputs("\"problems\": [", s->json);
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

/*
 * Source.
 */

static void put_source_file(struct page_stream *s, const struct run *run,
			    const struct source_file *f)
{
	fputs("{\"file\": ", s->json);
	quote_json(s->json, str_at(&run->strings, f->name));
	fprintf(s->json, ", \"changed\": %s, \"lines\": [",
		f->changed ? "true" : "false");
	for (size_t i = 0; i < f->count; i++) {
		fprintf(s->json, "%s[%u, ", i ? ",\n" : "\n",
			f->lines[i].number);
		quote_json(s->json, f->lines[i].text);
		fputc(']', s->json);
	}
	fputs("]}", s->json);
}

/* Why the page has no lines of some files; NULL when it has all. */
static char *why_not_all(const struct overview *o)
{
	char *why = NULL;
	size_t size;
	FILE *to;

	if (!o->has_sources)
		return strdup("copse report -f html --sources on includes the "
			      "lines that take most");
	if (!o->sources.count)
		return strdup("no line of a source file is known");
	to = open_memstream(&why, &size);
	if (!to)
		return NULL;
	for (size_t i = 0; i < o->sources.count; i++) {
		const struct source_file *f = &o->sources.files[i];

		if (f->refused)
			fprintf(to, "%s%s: %s", ftell(to) ? "; " : "",
				str_at(&o->run->strings, f->name), f->refused);
	}
	if (!fclose(to) && size)
		return why;
	free(why);
	return NULL;
}

static void put_sources(struct page_stream *s, const struct overview *o)
{
	const char *between = "";
	char *why = why_not_all(o);

	fputs("\"sourcesWhy\": ", s->json);
	quote_json(s->json, why);
	free(why);
	fputs(",\n\"sources\": [", s->json);
	for (size_t i = 0; i < o->sources.count; i++) {
		if (!o->sources.files[i].path)
			continue;
		fputs(between, s->json);
		put_source_file(s, o->run, &o->sources.files[i]);
		between = ",\n";
	}
	fputs("],\n", s->json);
}

int page_put_run(struct page_stream *s, const struct overview *o)
{
	struct page_strings strings;
	int err = page_strings_init(&strings, &o->run->strings);

	if (!err) {
		page_put_kinds(s);
		put_page_nodes(s, o, &strings);
		put_processes(s, o, &strings);
		put_page_metrics(s, o);
		put_trouble(s, o->run);
		put_sources(s, o);
		err = page_put_threads(s, o, &strings);
	}
	if (!err)
		err = page_put_slices(s, o->run, &strings);
	if (!err) {
		page_put_strings(s, &strings);
		err = page_put_values(s, o);
		page_put_waits(s, o->run);
		page_put_steps(s, &o->paths, &o->steps);
	}
	if (!err)
		err = page_put_time(s, &o->paths, &o->time);
	page_strings_fini(&strings);
	return err;
}
