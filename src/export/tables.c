/* SPDX-License-Identifier: BSD-3-Clause */
/* tables.c - the database as CSV: nodes, ranks, values. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

int tables_nodes(FILE *to, const struct run *run,
		 const struct export_choice *choice)
{
	struct sums sums;
	int err = sums_init(&sums, run);

	(void)choice;
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

int tables_ranks(FILE *to, const struct run *run,
		 const struct export_choice *choice)
{
	(void)choice;
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

/* What the choice asks for of one metric. */
struct chosen {
	FILE *to;
	const struct run *run;
	size_t metric;
	const struct export_choice *choice;
	size_t rank; /* index, when by_rank */
};

static int node_values(const struct chosen *c, uint32_t node,
		       struct value_buffer *buffer)
{
	const struct run_metric *m = &c->run->metrics[c->metric];
	const struct run_value *values;
	size_t count;
	int err = values_of_node(c->run, c->metric, node, buffer, &values,
				 &count);

	for (size_t i = 0; i < count && !err; i++)
		if (!c->choice->by_rank || values[i].rank == c->rank)
			value_row(c->to, m, node, &values[i]);
	return err;
}

static int rank_values(const struct chosen *c, struct value_buffer *buffer)
{
	const struct run_metric *m = &c->run->metrics[c->metric];
	const struct run_value *values;
	size_t count;
	int err = values_of_rank(c->run, c->metric, c->rank, buffer, &values,
				 &count);

	for (size_t i = 0; i < count && !err; i++)
		value_row(c->to, m, values[i].rank,
			  &(struct run_value){ (uint32_t)c->rank,
					       values[i].value });
	return err;
}

static int value_rows(const struct chosen *c)
{
	struct value_buffer buffer = { 0 };
	int err = 0;

	if (c->choice->by_node)
		err = node_values(c, (uint32_t)c->choice->node, &buffer);
	else if (c->choice->by_rank)
		err = rank_values(c, &buffer);
	else
		for (uint32_t n = 0; n < c->run->node_count && !err; n++)
			err = node_values(c, n, &buffer);
	value_buffer_fini(&buffer);
	return err;
}

/* -EINVAL with a reason: there is no such thing. */
static int find(struct chosen *c)
{
	const struct export_choice *choice = c->choice;

	if (choice->metric && !run_metric(c->run, choice->metric))
		return fail(-EINVAL, "there is no metric '%s' in this run",
			    choice->metric);
	if (choice->by_node && choice->node >= c->run->node_count)
		return fail(-EINVAL,
			    "there is no node %" PRIu64
			    "; copse export nodes lists them",
			    choice->node);
	while (choice->by_rank && c->rank < c->run->rank_count &&
	       value_process(c->run, c->rank) != choice->rank)
		c->rank++;
	if (choice->by_rank && c->rank == c->run->rank_count)
		return fail(-EINVAL, "there is no %s %" PRIu64 " in this run",
			    value_noun(c->run), choice->rank);
	return 0;
}

/* An extreme is of single calls: of one rank, only when it is asked for. */
static bool is_chosen(const struct run_metric *m,
		      const struct export_choice *choice)
{
	if (choice->metric)
		return !strcmp(m->name, choice->metric);
	return !choice->by_rank || choice->by_node || m->merge == MERGE_SUM;
}

int tables_values(FILE *to, const struct run *run,
		  const struct export_choice *choice)
{
	struct chosen c = { .to = to, .run = run, .choice = choice };
	int err = find(&c);

	if (!err)
		fputs("metric,node,process,value\n", to);
	for (; c.metric < run->metric_count && !err; c.metric++)
		if (is_chosen(&run->metrics[c.metric], choice))
			err = value_rows(&c);
	return err;
}
