/* SPDX-License-Identifier: BSD-3-Clause */
/* iterations.c - see iterations.h. */
#include "collect/iterations.h"

#include "base/hidden.h"
#include "base/range-window.h"
#include "collect/control.h"
#include "collect/source.h"

/* Mutable: the window, and how many marks there were until now; atomic. */
static struct {
	bool by_marks, by_calls;
	struct range_window window;
	uint32_t begun, ended;
} iterations RESET_AT_FORK;

bool iterations_mark_begins(const char *group, const char *text)
{
	const struct range_window *w = &iterations.window;

	if (!iterations.by_marks ||
	    (!range_window_names(w, group) && !range_window_names(w, text)))
		return false;
	if (__atomic_add_fetch(&iterations.begun, 1, __ATOMIC_RELAXED) ==
	    w->first)
		control_window(true, LIVE_WINDOW_MARKS, w->first);
	return true;
}

void iterations_mark_ends(void)
{
	const struct range_window *w = &iterations.window;

	if (__atomic_add_fetch(&iterations.ended, 1, __ATOMIC_RELAXED) ==
	    w->last)
		control_window(false, LIVE_WINDOW_MARKS, w->last);
}

uint64_t iterations_turn(uint64_t calls)
{
	uint64_t first = iterations.window.first, last = iterations.window.last;

	if (!iterations.by_calls || calls > last)
		return UINT64_MAX;
	if (calls + 1 == first || calls == last)
		control_window(calls < last, LIVE_WINDOW_CALLS, calls);
	return calls + 1 < first ? first - 1 : last;
}

/* The first call can begin no window: it is over when it is counted. */
static void iterations_start(const struct settings *settings)
{
	struct range_window *w = &iterations.window;
	bool is_one = range_window_parse(w, settings->iterations);

	iterations.by_calls = is_one && range_window_names(w, "MPI_COMM_WORLD");
	iterations.by_marks = is_one && !iterations.by_calls;
	if (is_one)
		control_window(iterations.by_calls && w->first == 1,
			       LIVE_WINDOW_NONE, 0);
}

const struct source source_iterations = {
	.start = iterations_start,
};
