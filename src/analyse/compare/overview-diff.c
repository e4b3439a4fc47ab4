/* SPDX-License-Identifier: BSD-3-Clause */
/* overview-diff.c - values of both sides, metric after metric. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/compare/overview-diff.h"
#include "base/err.h"

static void change_of_path(struct overview_change *c, const struct sides *s,
			   const struct sides_values *v, uint32_t path)
{
	struct comparison own, all;

	compare_sides_exclusive(&own, s, v, path);
	compare_sides_inclusive(&all, s, v, path);
	c->base[path] = own.base;
	c->now[path] = own.now;
	c->margin[path] = all.margin;
}

static int fill_change(struct overview_change *c, const struct sides *s)
{
	size_t count = s->paths.count + 1;
	struct sides_values v;
	int err = compare_values_init(&v, s, c->metric->name);

	c->base = calloc(count, sizeof(*c->base));
	c->now = calloc(count, sizeof(*c->now));
	c->margin = calloc(count, sizeof(*c->margin));
	if (!err && (!c->base || !c->now || !c->margin))
		err = no_memory();
	for (uint32_t p = 0; p < s->paths.count && !err; p++)
		change_of_path(c, s, &v, p);
	compare_values_fini(&v);
	return err;
}

static bool has_change(const struct overview_diff *d, const char *metric)
{
	for (size_t i = 0; i < d->change_count; i++)
		if (!strcmp(d->changes[i].metric->name, metric))
			return true;
	return false;
}

/* What adds up, of a run of either side. */
static int add_changes(struct overview_diff *d, const struct run *run)
{
	int err = 0;

	for (size_t i = 0; i < run->metric_count && !err; i++) {
		const struct run_metric *m = &run->metrics[i];

		if (m->merge != MERGE_SUM || has_change(d, m->name))
			continue;
		d->changes[d->change_count].metric = m;
		err = fill_change(&d->changes[d->change_count++], &d->sides);
	}
	return err;
}

int overview_diff_init(struct overview_diff *d, const struct run *const runs[],
		       const struct analysis_options *options)
{
	const struct run *now;
	int err;

	*d = (struct overview_diff){ 0 };
	err = compare_sides_init(&d->sides, runs, options->base);
	if (err)
		goto out;
	now = compare_sides_new(&d->sides);
	d->metric = compare_sides_choose(&d->sides, options);
	d->changes = calloc(runs[0]->metric_count + now->metric_count + 1,
			    sizeof(*d->changes));
	if (!d->metric)
		err = -EINVAL;
	else if (!d->changes)
		err = no_memory();
	if (!err)
		err = add_changes(d, runs[0]);
	if (!err)
		err = add_changes(d, now);
out:
	if (err)
		overview_diff_fini(d);
	return err;
}

void overview_diff_fini(struct overview_diff *d)
{
	for (size_t i = 0; i < d->change_count; i++) {
		free(d->changes[i].base);
		free(d->changes[i].now);
		free(d->changes[i].margin);
	}
	free(d->changes);
	compare_sides_fini(&d->sides);
	*d = (struct overview_diff){ 0 };
}
