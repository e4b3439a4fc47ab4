/* SPDX-License-Identifier: BSD-3-Clause */
/* page-sides.c - the tree of two sides of runs, for a page. */
#include <inttypes.h>
#include <math.h>

#include "format/page/page-parts.h"
#include "format/page/page-strings.h"
#include "format/quote.h"

static void put_union_nodes(struct page_stream *s, const struct path_union *u,
			    struct page_strings *t)
{
	const struct union_path *p = u->at;

	PAGE_COLUMN(s, "node.parent", PAGE_DELTA, u->count, p[i].parent);
	PAGE_COLUMN(s, "node.kind", PAGE_U8, u->count,
		    !i         ? RUN_ROOT
		    : p[i].mpi ? RUN_MPI
			       : RUN_FUNCTION);
	PAGE_COLUMN(s, "node.flags", PAGE_U8, u->count,
		    p[i].unnamed ? RUN_UNNAMED : 0);
	PAGE_COLUMN(s, "node.function", PAGE_VARINT, u->count,
		    page_string(t, p[i].name));
	PAGE_COLUMN(s, "node.module", PAGE_VARINT, u->count,
		    page_string(t, p[i].library));
}

/* Reports have seconds, and 9 digits of them are enough to go back. */
static uint64_t side_value(const struct run_metric *m, double value)
{
	return page_whole(round(m->unit == UNIT_NS ? value * 1e9 : value));
}

static uint64_t put_side(struct page_stream *s, const char *what,
			 const struct run_metric *m, const double *values,
			 size_t count)
{
	uint64_t total = 0;

	page_array_of(s, what, m, "", PAGE_VARINT);
	for (size_t p = 0; p < count; p++) {
		total += side_value(m, values[p]);
		page_number(s, side_value(m, values[p]));
	}
	page_array_end(s);
	return total;
}

static void put_change(struct page_stream *s, const struct overview_change *c,
		       size_t count)
{
	static const char *const units[] = { "count", "ns", "bytes" };
	uint64_t base = put_side(s, "base", c->metric, c->base, count);
	uint64_t now = put_side(s, "sum", c->metric, c->now, count);

	page_array_of(s, "margin", c->metric, "", PAGE_VARINT);
	for (size_t p = 0; p < count; p++)
		page_number(s, isfinite(c->margin[p])
				       ? side_value(c->metric, c->margin[p]) + 1
				       : 0);
	page_array_end(s);
	fputs("{\"name\": ", s->json);
	quote_json(s->json, c->metric->name);
	fprintf(s->json,
		", \"unit\": \"%s\", \"merge\": \"sum\", \"sampled\": %s, "
		"\"base\": %" PRIu64 ", \"total\": %" PRIu64 "}",
		units[c->metric->unit],
		run_is_sampled(c->metric) ? "true" : "false", base, now);
}

int page_put_sides(struct page_stream *s, const struct overview_diff *d)
{
	const struct path_union *u = &d->sides.paths;
	struct page_strings strings;
	int err = page_strings_init(&strings, &u->strings);

	if (!err) {
		fprintf(s->json, "\"runs\": [%zu, %zu],\n", d->sides.base,
			d->sides.count - d->sides.base);
		page_put_kinds(s);
		put_union_nodes(s, u, &strings);
		fputs("\"metric\": ", s->json);
		quote_json(s->json, d->metric->name);
		fputs(",\n\"metrics\": [", s->json);
		for (size_t i = 0; i < d->change_count; i++) {
			fputs(i ? ",\n" : "", s->json);
			put_change(s, &d->changes[i], u->count);
		}
		fputs("],\n", s->json);
		page_put_strings(s, &strings);
	}
	page_strings_fini(&strings);
	return err;
}
