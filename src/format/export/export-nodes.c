/* SPDX-License-Identifier: BSD-3-Clause */
/* export-nodes.c - the contexts of a run as CSV, with sums over ranks. */
#include "analyse/base/value.h"
#include "format/format.h"
#include "format/export/node-sums.h"
#include "format/quote.h"

static void node_head(FILE *to, const struct node_sums *sums)
{
	fputs("node,parent,kind,inlined,function,module,file,line", to);
	for (size_t m = 0; m < sums->run->metric_count; m++) {
		const char *name = sums->run->metrics[m].name;

		if (!sums->inclusive[m])
			continue;
		fputc(',', to);
		quote_csv(to, name);
		fputc(',', to);
		quote_csv(to, name);
		fputs(" (inc)", to);
	}
	fputc('\n', to);
}

static void node_row(FILE *to, const struct node_sums *sums, uint32_t node)
{
	const struct run *run = sums->run;
	const struct run_node *n = &run->nodes[node];

	fprintf(to, "%u,", node);
	if (node)
		fprintf(to, "%u", n->parent);
	fprintf(to, ",%s,%d", run_kinds[n->kind].name,
		n->flags & RUN_INLINED ? 1 : 0);
	sums_string(to, run, n->function);
	sums_string(to, run, n->module);
	sums_string(to, run, n->file);
	fputc(',', to);
	if (n->line)
		fprintf(to, "%u", n->line);
	for (size_t m = 0; m < run->metric_count; m++) {
		if (!sums->inclusive[m])
			continue;
		fputc(',', to);
		sums_write(to, &run->metrics[m],
			   value_node(&run->metrics[m], node));
		fputc(',', to);
		sums_write(to, &run->metrics[m], sums->inclusive[m][node]);
	}
	fputc('\n', to);
}

static int write_nodes(FILE *to, const struct run *run,
		       const struct format_choice *choice)
{
	struct node_sums sums;
	int err = sums_init(&sums, run);

	(void)choice;
	if (!err)
		node_head(to, &sums);
	for (uint32_t n = 0; n < run->node_count && !err; n++)
		node_row(to, &sums, n);
	sums_fini(&sums);
	return err;
}

const struct format format_export_nodes = {
	.name = "nodes",
	.help = "CSV: call tree contexts, with sums over ranks",
	.write_run = write_nodes,
};
