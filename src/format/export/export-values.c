/* SPDX-License-Identifier: BSD-3-Clause */
/* export-values.c - what each process has in each context, as CSV. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "analyse/base/value.h"
#include "base/err.h"
#include "format/format.h"
#include "format/export/node-sums.h"
#include "format/quote.h"
#include "run/values.h"

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
	const struct format_choice *choice;
};

static bool is_of_chosen(const struct chosen *c, uint32_t process)
{
	const struct rank_choice *ranks = c->choice->ranks;

	if (!c->choice->by_rank || ranks->all)
		return true;
	for (size_t i = 0; i < ranks->count; i++)
		if (ranks->at[i].process == process)
			return true;
	return false;
}

static int export_node_values(const struct chosen *c, uint32_t node,
			      struct value_buffer *buffer)
{
	const struct run_metric *m = &c->run->metrics[c->metric];
	const struct run_value *values;
	size_t count;
	int err = values_of_node(c->run, c->metric, node, buffer, &values,
				 &count);

	for (size_t i = 0; i < count && !err; i++)
		if (is_of_chosen(c, values[i].rank))
			value_row(c->to, m, node, &values[i]);
	return err;
}

static int rank_values(const struct chosen *c, uint32_t process,
		       struct value_buffer *buffer)
{
	const struct run_metric *m = &c->run->metrics[c->metric];
	const struct run_value *values;
	size_t count;
	int err = values_of_rank(c->run, c->metric, process, buffer, &values,
				 &count);

	for (size_t i = 0; i < count && !err; i++)
		value_row(c->to, m, values[i].rank,
			  &(struct run_value){ process, values[i].value });
	return err;
}

static int value_rows(const struct chosen *c)
{
	const struct rank_choice *ranks = c->choice->ranks;
	struct value_buffer buffer = { 0 };
	int err = 0;

	if (c->choice->by_node)
		err = export_node_values(c, (uint32_t)c->choice->node, &buffer);
	else if (c->choice->by_rank)
		for (size_t i = 0; i < ranks->count && !err; i++)
			err = rank_values(c, ranks->at[i].process, &buffer);
	else
		for (uint32_t n = 0; n < c->run->node_count && !err; n++)
			err = export_node_values(c, n, &buffer);
	value_buffer_fini(&buffer);
	return err;
}

/* -EINVAL with a reason: there is no such thing. */
static int check_chosen(const struct chosen *c)
{
	const struct format_choice *choice = c->choice;

	if (choice->metric && !run_metric(c->run, choice->metric))
		return fail(-EINVAL, "there is no metric '%s' in this run",
			    choice->metric);
	if (choice->by_node && choice->node >= c->run->node_count)
		return fail(-EINVAL,
			    "there is no node %" PRIu64
			    "; copse export nodes lists them",
			    choice->node);
	return 0;
}

/* An extreme is of single calls: of one rank, only when it is asked for. */
static bool is_chosen(const struct run_metric *m,
		      const struct format_choice *choice)
{
	if (choice->metric)
		return !strcmp(m->name, choice->metric);
	return !choice->by_rank || choice->by_node || m->merge == MERGE_SUM;
}

static int export_all_values(FILE *to, const struct run *run,
			     const struct format_choice *choice)
{
	struct chosen c = { .to = to, .run = run, .choice = choice };
	int err = check_chosen(&c);

	if (!err)
		fputs("metric,node,process,value\n", to);
	for (; c.metric < run->metric_count && !err; c.metric++)
		if (is_chosen(&run->metrics[c.metric], choice))
			err = value_rows(&c);
	return err;
}

const struct format format_export_values = {
	.name = "values",
	.help = "CSV: what each process has in each context",
	.write_run = export_all_values,
	.by_metric = true,
	.by_rank = true,
	.by_node = true,
};
