/* SPDX-License-Identifier: BSD-3-Clause */
/* progress.c - a bar that is drawn over itself. */
#include <stdio.h>
#include <unistd.h>

#include "base/timebase.h"
#include "tools/out.h"
#include "tools/progress.h"

enum {
	BAR = 30,
	PATIENCE_MS = 500,
	REDRAW_MS = 50
};

static uint64_t now_ms(void)
{
	return timebase_clock(CLOCK_MONOTONIC) / 1000000;
}

static void progress_step(void *to, const char *what, size_t done, size_t of)
{
	static const char full[] = "##############################";
	struct progress *p = to;
	uint64_t now = now_ms();
	int marks = of ? (int)(done * BAR / of) : BAR;

	if (!p->terminal || now - p->start_ms < PATIENCE_MS ||
	    now - p->shown_ms < REDRAW_MS)
		return;
	p->shown_ms = now;
	fprintf(out_below(stderr), "\r%-18s [%-*.*s] %zu/%zu\033[K", what, BAR,
		marks, full, done, of);
	fflush(out_below(stderr));
}

struct merge_progress progress_start(struct progress *p)
{
	*p = (struct progress){ .start_ms = now_ms(),
				.terminal = isatty(STDERR_FILENO) };
	return (struct merge_progress){ progress_step, p };
}

void progress_end(struct progress *p)
{
	if (p->shown_ms)
		fputs("\r\033[K", out_below(stderr));
}
