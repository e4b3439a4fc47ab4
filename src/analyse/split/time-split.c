/* SPDX-License-Identifier: BSD-3-Clause */
/* time-split.c - sums of run->split. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/split/time-split.h"
#include "analyse/base/value.h"
#include "base/err.h"

static void find_most_of_part(struct time_split *s, enum split_part part)
{
	struct time_part *p = &s->parts[part];

	for (uint32_t r = 0; r < s->run->member_count; r++) {
		p->mean += s->ranks[r][part] / (double)s->run->member_count;
		if (s->ranks[r][part] > p->most) {
			p->most = s->ranks[r][part];
			p->most_rank = r;
		}
	}
}

/* Errors of ranks are independent of one another, but for bounds. */
static void add_margin(struct time_part *p, const struct run_split_rank *row)
{
	double below = (double)(row->ns - row->low_ns) / 1e9;
	double above = (double)(row->high_ns - row->ns) / 1e9;

	p->low = hypot(p->low, below);
	p->high = hypot(p->high, above);
}

/* Between two bounds, all ranks may be at the same one. */
static void add_bounds(struct time_part *p, const struct run_split_rank *row)
{
	p->low += (double)(row->ns - row->low_ns) / 1e9;
	p->high += (double)(row->high_ns - row->ns) / 1e9;
}

int time_split_init(struct time_split *s, const struct run *run)
{
	*s = (struct time_split){
		.run = run,
		.ranks = calloc(run->rank_count + 1, sizeof(*s->ranks)),
	};
	if (!s->ranks)
		return no_memory();
	for (size_t i = 0; i < run->split.rank_count; i++) {
		const struct run_split_rank *row = &run->split.ranks[i];
		struct time_part *p = &s->parts[row->part];

		s->ranks[row->rank][row->part] = (double)row->ns / 1e9;
		p->seconds += (double)row->ns / 1e9;
		s->whole += (double)row->ns / 1e9;
		(row->part == SPLIT_WORK ? add_margin : add_bounds)(p, row);
	}
	for (size_t i = 0; i < SPLIT_PARTS; i++) {
		s->parts[i].low = s->parts[i].seconds - s->parts[i].low;
		s->parts[i].high += s->parts[i].seconds;
		find_most_of_part(s, i);
	}
	return 0;
}

void time_split_fini(struct time_split *s)
{
	free(s->ranks);
	*s = (struct time_split){ 0 };
}

enum split_part time_part_find(const char *name)
{
	enum split_part part = 0;

	while (part < SPLIT_PARTS && strcmp(split_names[part].name, name) != 0)
		part++;
	return part;
}

double time_split_share(const struct time_split *s, enum split_part part)
{
	return value_ratio(s->parts[part].seconds, s->whole);
}

double time_split_first(const struct run_rank *r)
{
	return ((double)r->elapsed_ns - (double)r->paused_ns) / 1e9;
}

double time_split_of(const struct time_split *s, size_t rank,
		     enum split_part part)
{
	double elapsed = time_split_first(&s->run->ranks[rank]);

	return fmin(value_ratio(s->ranks[rank][part], elapsed), 1);
}

double time_split_mpi(const struct time_split *s, size_t rank)
{
	const struct run_rank *r = &s->run->ranks[rank];
	double mpi = (double)r->mpi_time_ns / 1e9;

	return fmin(value_ratio(mpi, time_split_first(r)), 1);
}

void time_split_paths(const struct time_split *s, const struct paths *paths,
		      enum split_part part, double *own)
{
	const struct run_split *from = &s->run->split;

	memset(own, 0, paths->count * sizeof(*own));
	for (size_t i = 0; i < from->path_count; i++)
		if (from->paths[i].part == part)
			own[paths->of[from->paths[i].node]] +=
				(double)from->paths[i].ns / 1e9;
}

void time_split_below(const struct time_split *s, uint32_t node,
		      double parts[SPLIT_PARTS])
{
	const struct run_split *from = &s->run->split;
	uint32_t end = run_subtree_end(s->run, node);

	memset(parts, 0, SPLIT_PARTS * sizeof(*parts));
	for (size_t i = 0; i < from->path_count; i++)
		if (from->paths[i].node >= node && from->paths[i].node < end)
			parts[from->paths[i].part] +=
				(double)from->paths[i].ns / 1e9;
}

void time_split_course(const struct time_split *s, enum split_part part,
		       double *course, size_t count)
{
	const struct run_split *from = &s->run->split;

	memset(course, 0, count * sizeof(*course));
	for (size_t i = 0; i < from->bin_count; i++)
		if (from->bins[i].part == part)
			course[from->bins[i].bin * count /
			       s->run->timeline.axes->bins] +=
				(double)from->bins[i].ns / 1e9;
}
