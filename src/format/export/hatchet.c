/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hatchet.c - the tree as Hatchet's literal reader takes it: GraphFrame.
 * from_literal(json.load(file)).
 *
 * Each node is {"frame": {"name", "type", ...}, "metrics": {...}, "children":
 * [...]}.  Metrics are sums over ranks; a name that ends in " (inc)" holds what
 * is below as well, which is how that reader tells them.  "time", which Hatchet
 * shows when it is not told otherwise, is the first metric once more.
 */
#include <errno.h>
#include <stdlib.h>

#include "analyse/base/analysis.h"
#include "analyse/paths/paths.h"
#include "format/format.h"
#include "format/export/node-sums.h"
#include "format/quote.h"

/* A line's name is its place, as in Hatchet's reader of HPCToolkit. */
static void write_name(FILE *to, const struct run *run, uint32_t node)
{
	const struct run_node *n = &run->nodes[node];
	char *place =
		n->kind == RUN_LINE ? paths_place(run, n->file, n->line) : NULL;

	quote_json(to, place  ? place
		       : node ? paths_function(run, node)
			      : "all");
	free(place);
}

static void write_hatchet_frame(FILE *to, const struct run *run, uint32_t node)
{
	const struct run_node *n = &run->nodes[node];

	fputs("{\"frame\": {\"name\": ", to);
	write_name(to, run, node);
	fprintf(to, ", \"type\": \"%s\"",
		n->kind == RUN_LINE ? "statement" : run_kinds[n->kind].name);
	fputs(", \"module\": ", to);
	quote_json(to, str_at(&run->strings, n->module));
	fputs(", \"file\": ", to);
	quote_json(to, str_at(&run->strings, n->file));
	fprintf(to, ", \"line\": %u}", n->line);
}

static void write_metric(FILE *to, const char *name, const char *suffix,
			 const struct run_metric *m, double value)
{
	char full[96];

	snprintf(full, sizeof(full), "%s%s", name, suffix);
	quote_json(to, full);
	fputs(": ", to);
	sums_write(to, m, value);
}

static void write_both(FILE *to, const struct node_sums *sums, const char *name,
		       size_t m, uint32_t node)
{
	const struct run_metric *metric = &sums->run->metrics[m];

	write_metric(to, name, "", metric, value_node(metric, node));
	fputs(", ", to);
	write_metric(to, name, " (inc)", metric, sums->inclusive[m][node]);
}

static void write_metrics(FILE *to, const struct node_sums *sums, size_t first,
			  uint32_t node)
{
	fputs(", \"metrics\": {", to);
	write_both(to, sums, "time", first, node);
	for (size_t m = 0; m < sums->run->metric_count; m++) {
		if (!sums->inclusive[m])
			continue;
		fputs(", ", to);
		write_both(to, sums, sums->run->metrics[m].name, m, node);
	}
	fputc('}', to);
}

/*
 * A node's children stay open until a node comes that is not below it; the
 * open ones are the callers of the last.
 */
static void write_hatchet_tree(FILE *to, const struct node_sums *sums,
			       size_t first)
{
	const struct run *run = sums->run;
	uint32_t open = 0;

	fputs("[\n", to);
	for (uint32_t n = 0; n < run->node_count; n++) {
		if (n) {
			for (; open != run->nodes[n].parent;
			     open = run->nodes[open].parent)
				fputs("]}", to);
			fputs(run->nodes[n].parent == n - 1 ? "\n" : ",\n", to);
		}
		write_hatchet_frame(to, run, n);
		write_metrics(to, sums, first, n);
		fputs(", \"children\": [", to);
		open = n;
	}
	for (; open; open = run->nodes[open].parent)
		fputs("]}", to);
	fputs(run->node_count ? "]}\n]\n" : "]\n", to);
}

static int write_hatchet(FILE *to, const struct run *run,
			 const struct format_choice *choice)
{
	const struct analysis_options options = { .metric = choice->metric };
	const struct run_metric *m = analysis_metric(run, &options, NULL);
	struct node_sums sums;
	int err;

	if (!m)
		return -EINVAL;
	err = sums_init(&sums, run);
	if (!err)
		write_hatchet_tree(to, &sums, (size_t)(m - run->metrics));
	sums_fini(&sums);
	return err;
}

const struct format format_hatchet = {
	.name = "hatchet",
	.help = "JSON for Hatchet's GraphFrame.from_literal",
	.write_run = write_hatchet,
	.by_metric = true,
};
