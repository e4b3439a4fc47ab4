/* SPDX-License-Identifier: BSD-3-Clause */
/* live-metrics.c - metrics and losses of a live profile, read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/comparison.h"
#include "profile/live/live-reader.h"

/* Letters, digits and signs; a '.' does not come first. */
static bool is_good_metric_name(const struct profile *p, const char *name)
{
	const char *c = name;

	while (*c > ' ' && *c < 127)
		c++;
	return *name && *name != '.' && !*c && !profile_column(p, name);
}

/*
 * One column per metric of the file, so that its numbers are ours; those that
 * make no sense have no name and go at the end.
 */
static void read_metrics(struct reader *r)
{
	const struct live_header *h = &r->header;
	size_t count = h->metric_count;
	struct profile *p = r->p;

	if (count > LIVE_METRICS) {
		r->damaged++;
		count = LIVE_METRICS;
	}
	p->columns = calloc(LIVE_METRICS, sizeof(*p->columns));
	if (!p->columns) {
		reader_no_memory(r);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		const struct live_metric *m = &h->metrics[i];
		struct profile_column *c = &p->columns[i];
		char name[sizeof(c->name)];

		reader_fixed_text(name, sizeof(name), m->name, sizeof(m->name));
		if (m->unit <= UNIT_BYTES && m->merge <= MERGE_MIN &&
		    is_good_metric_name(p, name)) {
			memcpy(c->name, name, sizeof(name));
			c->unit = m->unit;
			c->merge = m->merge;
			c->counting = m->counting;
		} else {
			r->damaged++;
		}
		p->column_count = i + 1;
	}
}

static void read_losses(struct reader *r)
{
	struct profile *p = r->p;

	p->losses = calloc(LOSS_COUNT + 1, sizeof(*p->losses));
	if (!p->losses) {
		reader_no_memory(r);
		return;
	}
	p->loss_count = LOSS_COUNT;
	for (size_t i = 0; i < LOSS_COUNT; i++) {
		snprintf(p->losses[i].name, sizeof(p->losses[i].name), "%s",
			 loss_infos[i].name);
		p->losses[i].count = r->header.losses[i];
	}
}

static void begin_metrics(struct reader *r)
{
	read_metrics(r);
	read_losses(r);
}

ORDER_BY(by_value_node, struct profile_value, ASC(node) ?: ASC(thread))

/* Sort a column's values; those of one node and thread become one. */
static void order_values(struct profile_column *c)
{
	struct profile_value *last = c->values;

	if (!c->count)
		return;
	qsort(c->values, c->count, sizeof(*c->values), by_value_node);
	for (size_t i = 1; i < c->count; i++) {
		const struct profile_value *v = &c->values[i];

		if (by_value_node(last, v))
			*++last = *v;
		else
			last->value =
				metric_merge(c->merge, last->value, v->value);
	}
	c->count = (size_t)(last - c->values) + 1;
}

/* Sort the columns' values; without any, only events that were counted stay. */
static void order_columns(struct reader *r)
{
	struct profile *p = r->p;
	size_t kept = 0;

	for (size_t i = 0; i < p->column_count; i++) {
		if (!p->columns[i].count && !p->columns[i].counting.enabled_ns)
			continue;
		order_values(&p->columns[i]);
		p->columns[kept++] = p->columns[i];
	}
	p->column_count = kept;
}

const struct live_section section_metrics = {
	.begin = begin_metrics,
	.order = order_columns,
};
