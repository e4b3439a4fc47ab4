/* SPDX-License-Identifier: BSD-3-Clause */
/* tables.c - the database as CSV: nodes, ranks, values. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "analyse/value.h"
#include "base/err.h"
#include "export/sums.h"
#include "export/tables.h"
#include "merge/values.h"
#include "present/quote.h"

static void write_string(FILE *to, const struct run *run, uint32_t string)
{
	fputc(',', to);
	quote_csv(to, str_at(&run->strings, string));
}

static void node_head(FILE *to, const struct sums *sums)
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

static void node_row(FILE *to, const struct sums *sums, uint32_t node)
{
	const struct run *run = sums->run;
	const struct run_node *n = &run->nodes[node];

	fprintf(to, "%u,", node);
	if (node)
		fprintf(to, "%u", n->parent);
	fprintf(to, ",%s,%d", sums_kind(n), n->flags & RUN_INLINED ? 1 : 0);
	write_string(to, run, n->function);
	write_string(to, run, n->module);
	write_string(to, run, n->file);
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

int tables_nodes(FILE *to, const struct run *run, const char *metric)
{
	struct sums sums;
	int err = sums_init(&sums, run);

	(void)metric;
	if (!err)
		node_head(to, &sums);
	for (uint32_t n = 0; n < run->node_count && !err; n++)
		node_row(to, &sums, n);
	sums_fini(&sums);
	return err;
}

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

static void rank_row(FILE *to, const struct run *run, size_t index)
{
	const struct run_rank *r = &run->ranks[index];

	fprintf(to, "%zu,", index);
	if (r->rank >= 0)
		fprintf(to, "%" PRId32, r->rank);
	fprintf(to, ",%d,%" PRIu32, index < run->member_count, r->pid);
	write_string(to, run, r->host);
	write_string(to, run, r->source);
	write_string(to, run, r->command);
	fprintf(to, ",%" PRIu32 ",%.9f,%.9f,%.9f,%.9f,%.9f,%" PRIu64 "\n",
		r->threads, seconds(r->elapsed_ns), seconds(r->mpi_ns),
		seconds(r->mpi_time_ns), seconds(r->cpu_ns),
		seconds(r->process_cpu_ns), r->samples);
}

int tables_ranks(FILE *to, const struct run *run, const char *metric)
{
	(void)metric;
	fputs("process,rank,member,pid,host,source,command,threads,elapsed,"
	      "mpi_elapsed,mpi_time,cpu,process_cpu,samples\n",
	      to);
	for (size_t i = 0; i < run->rank_count; i++)
		rank_row(to, run, i);
	return 0;
}

static void value_row(FILE *to, const struct run_metric *m, uint32_t node,
		      const struct run_value *v)
{
	quote_csv(to, m->name);
	fprintf(to, ",%u,%" PRIu32 ",", node, v->rank);
	sums_write(to, m, value_of(m->unit, (double)v->value));
	fputc('\n', to);
}

static int value_rows(FILE *to, const struct run *run, size_t metric)
{
	struct value_buffer buffer = { 0 };
	int err = 0;

	for (uint32_t n = 0; n < run->node_count && !err; n++) {
		const struct run_value *values;
		size_t count;

		err = values_of_node(run, metric, n, &buffer, &values, &count);
		for (size_t i = 0; i < count && !err; i++)
			value_row(to, &run->metrics[metric], n, &values[i]);
	}
	value_buffer_fini(&buffer);
	return err;
}

int tables_values(FILE *to, const struct run *run, const char *metric)
{
	int err = 0;

	(void)metric;
	fputs("metric,node,process,value\n", to);
	for (size_t m = 0; m < run->metric_count && !err; m++)
		err = value_rows(to, run, m);
	return err;
}
