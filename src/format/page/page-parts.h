/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * page-parts.h - what html.c puts into the data of a page: members of the JSON,
 * and arrays.
 */
#pragma once

#include "analyse/summary/overview.h"
#include "format/page/page-stream.h"
#include "format/page/page-strings.h"

/* Threads that only waited are left out, as reports do. */
static inline bool page_leaves_out(const struct run_metric *m, size_t node)
{
	return m->idle && m->idle->nodes[node];
}

/* Where few processes have cells, theirs are rounded: what a clock said, to the
 * nanosecond. */
static inline bool page_rounds(const struct run_metric *m)
{
	return m->unit == UNIT_NS && !run_is_sampled(m);
}

/* page-reports.c */
void page_put_reports(struct page_stream *s, const struct overview *o);

/* page-run.c: strings, nodes, metrics, processes, what is wrong.  0, or
 * -errno with a reason. */
int page_put_run(struct page_stream *s, const struct overview *o);

/* What kinds of nodes there are, by their numbers. */
void page_put_kinds(struct page_stream *s);

/* page-values.c: what each process has, and who waited for whom. */
int page_put_values(struct page_stream *s, const struct overview *o);
void page_put_waits(struct page_stream *s, const struct run *run);

/* page-time.c: each only where the run has it. */
int page_put_time(struct page_stream *s, const struct paths *paths,
		  const struct time_grid *grid);
void page_put_steps(struct page_stream *s, const struct paths *paths,
		    const struct step_grid *grid);

/* page-threads.c: where waits of threads are known. */
int page_put_threads(struct page_stream *s, const struct overview *o,
		     struct page_strings *t);

/* page-slices.c: where GPUs were traced. */
int page_put_slices(struct page_stream *s, const struct run *run,
		    struct page_strings *strings);

/* page-sides.c: the same as page_put_run(), of two sides. */
int page_put_sides(struct page_stream *s, const struct overview_diff *d);
