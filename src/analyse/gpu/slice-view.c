/* SPDX-License-Identifier: BSD-3-Clause */
/* slice-view.c - which part of the time is looked at. */
#include "analyse/gpu/slice-view.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/range-window.h"
#include "live/layout.h"

#define NS        1e9
#define US        1000
#define TIME_MOST 9e9 /* seconds */

static void span_widen(struct slice_span *span, uint64_t from, uint64_t until)
{
	if (span->from == span->until) {
		*span = (struct slice_span){ from, until };
		return;
	}
	if (from < span->from)
		span->from = from;
	if (until > span->until)
		span->until = until;
}

/* All that is kept. */
static void view_all(struct slice_view *view)
{
	const struct run_slices *t = &view->run->slices;

	for (size_t i = 0; i < t->work_count; i++)
		span_widen(&view->of[t->work[i].rank], t->work[i].start_ns,
			   t->work[i].start_ns + t->work[i].ns);
	for (size_t i = 0; i < t->call_count; i++)
		span_widen(&view->of[t->calls[i].rank], t->calls[i].start_ns,
			   t->calls[i].start_ns + t->calls[i].ns);
}

/* Nothing, where there is nothing of it. */
static void span_choose(struct slice_span *span, uint64_t from, uint64_t until)
{
	bool any = span->from < until && span->until > from;

	*span = any ? (struct slice_span){ from, until }
		    : (struct slice_span){ 0 };
}

/* "1.25-1.3", "0.1s-0.2s"; false: it is no such text. */
static bool view_seconds(struct slice_view *view, const char *window)
{
	char *end;
	double from = strtod(window, &end), until;

	end += *end == 's';
	if (end == window || *end++ != '-')
		return false;
	window = end;
	until = strtod(window, &end);
	end += *end == 's';
	if (end == window || *end || !(from >= 0) || !(until > from) ||
	    until > TIME_MOST)
		return false;
	view_all(view);
	for (size_t i = 0; i < view->run->rank_count; i++)
		span_choose(&view->of[i], (uint64_t)llround(from * NS),
			    (uint64_t)llround(until * NS));
	return true;
}

/* Rows that have one of these iterations, from the start of the run. */
static void view_rank_iterations(struct slice_view *view,
				 const struct run_iteration_rank *of,
				 const struct range_window *wanted)
{
	const struct run_iterations *all = &view->run->iterations;
	int64_t shift = (int64_t)(all->steps->begin_real_ns -
				  view->run->slices.axes->begin_real_ns);
	uint64_t ns = of->begin_ns + (uint64_t)shift;

	for (size_t row = 0; row < of->count; row++) {
		uint64_t took = (uint64_t)all->rows[of->first + row].us * US;
		uint32_t each;
		uint64_t number = run_iteration_number(all->steps, row, &each);

		if (number <= wanted->last && number + each > wanted->first)
			span_widen(&view->of[of->rank], ns, ns + took);
		ns += took;
	}
}

static void view_iterations(struct slice_view *view,
			    const struct range_window *wanted)
{
	const struct run_iterations *all = &view->run->iterations;

	for (size_t i = 0; i < all->rank_count && all->step_count; i++)
		view_rank_iterations(view, &all->ranks[i], wanted);
}

/* Its own name, or that of all which differ in digits. */
static bool range_is_called(const char *own, const struct range_window *wanted)
{
	char pattern[LIVE_SLICE_TEXT];

	run_thread_pattern(pattern, own);
	return range_window_names(wanted, own) ||
	       range_window_names(wanted, pattern);
}

static void view_ranges(struct slice_view *view,
			const struct range_window *wanted)
{
	const struct run *run = view->run;
	const struct run_slices *t = &run->slices;
	uint64_t number = 0;

	for (size_t i = 0; i < t->range_count; i++) {
		const struct run_slice_range *r = &t->ranges[i];

		if (i && r->rank != r[-1].rank)
			number = 0;
		if (!range_is_called(str_at(&run->strings, r->name), wanted))
			continue;
		number++;
		if (number >= wanted->first && number <= wanted->last)
			span_widen(&view->of[r->rank], r->start_ns,
				   r->start_ns + r->ns);
	}
}

static void view_named(struct slice_view *view, const char *window)
{
	struct range_window wanted;

	if (!range_window_parse(&wanted, window))
		wanted = (struct range_window){ window, strlen(window), 1,
						UINT64_MAX };
	if (range_window_names(&wanted, "iteration"))
		view_iterations(view, &wanted);
	else
		view_ranges(view, &wanted);
}

int slice_view_init(struct slice_view *view, const struct run *run,
		    const char *window)
{
	*view = (struct slice_view){ .run = run };
	view->of = calloc(run->rank_count + 1, sizeof(*view->of));
	view->what = window ? strdup(window) : NULL;
	if (!view->of || (window && !view->what))
		return no_memory();
	if (!run->slices.axis_count)
		return 0;
	if (!window)
		view_all(view);
	else if (!view_seconds(view, window))
		view_named(view, window);
	for (size_t i = 0; i < run->rank_count; i++)
		if (view->of[i].from < view->of[i].until)
			span_widen(&view->all, view->of[i].from,
				   view->of[i].until);
	if (window && view->all.from == view->all.until)
		return fail(-EINVAL,
			    "there is no '%s' in the trace; a window is "
			    "1.25-1.30 (seconds), iteration:K-L, or a range "
			    "of the program, NAME or NAME:K-L",
			    window);
	return 0;
}

void slice_view_fini(struct slice_view *view)
{
	free(view->of);
	free(view->what);
}

uint64_t slice_view_part(const struct slice_view *view, uint32_t rank,
			 uint64_t start_ns, uint64_t ns)
{
	const struct slice_span *span = &view->of[rank];
	uint64_t until = start_ns + ns;

	if (start_ns < span->from)
		start_ns = span->from;
	if (until > span->until)
		until = span->until;
	return until > start_ns ? until - start_ns : 0;
}

bool slice_view_has(const struct slice_view *view, const struct run_slice *work)
{
	const struct slice_span *span = &view->of[work->rank];

	return slice_view_part(view, work->rank, work->start_ns, work->ns) ||
	       (!work->ns && work->start_ns >= span->from &&
		work->start_ns < span->until);
}
