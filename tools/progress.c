/* SPDX-License-Identifier: BSD-3-Clause */
/* progress.c - a bar that is drawn over itself. */
#include <stdio.h>
#include <unistd.h>

#include "analyse/base/phrase.h"
#include "base/timebase.h"
#include "tools/out.h"
#include "tools/progress.h"

enum {
	BAR = 30,
	PATIENCE_MS = 500,
	REDRAW_MS = 50,
	LINE_MS = 2000,
	ESTIMATE_MS = 1000
};

static uint64_t now_ms(void)
{
	return timebase_clock(CLOCK_MONOTONIC) / 1000000;
}

/* By how long it took until now; nothing in its first second. */
static void put_time_left(uint64_t took_ms, size_t done, size_t of)
{
	double left = done ? (double)took_ms * (double)(of - done) /
				      (double)done / 1e3
			   : 0;
	char text[32];

	if (took_ms >= ESTIMATE_MS && left >= 1)
		fprintf(out_below(stderr), ", %s left",
			phrase_time(text, left));
}

static void draw_progress(struct progress *p, const char *what, size_t done,
			  size_t of, uint64_t now)
{
	static const char full[] = "##############################";
	int marks = of ? (int)(done * BAR / of) : BAR;

	if (now - p->start_ms < PATIENCE_MS || now - p->shown_ms < REDRAW_MS)
		return;
	p->shown_ms = now;
	fprintf(out_below(stderr), "\r%-18s [%-*.*s] %zu/%zu", what, BAR, marks,
		full, done, of);
	put_time_left(now - p->what_ms, done, of);
	fputs("\033[K", out_below(stderr));
	fflush(out_below(stderr));
}

static void say_line(struct progress *p, const char *what, size_t done,
		     size_t of, uint64_t now)
{
	if (p->said || now - p->start_ms < LINE_MS)
		return;
	p->said = true;
	fprintf(out_below(stderr), "%s: %s (%zu of %zu)", p->who, what, done,
		of);
	put_time_left(now - p->what_ms, done, of);
	fputs("\n", out_below(stderr));
	fflush(out_below(stderr));
}

static void progress_step(void *to, const char *what, size_t done, size_t of)
{
	struct progress *p = to;
	uint64_t now = now_ms();

	if (what != p->what) {
		p->what = what;
		p->what_ms = now;
		p->said = false;
	}
	if (p->terminal)
		draw_progress(p, what, done, of, now);
	else if (p->who)
		say_line(p, what, done, of, now);
}

struct merge_progress progress_start(struct progress *p, const char *who)
{
	*p = (struct progress){ .start_ms = now_ms(),
				.who = who,
				.terminal = isatty(STDERR_FILENO) };
	return (struct merge_progress){ progress_step, p };
}

void progress_end(struct progress *p)
{
	if (p->shown_ms)
		fputs("\r\033[K", out_below(stderr));
}
