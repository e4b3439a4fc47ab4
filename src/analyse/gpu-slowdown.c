/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-slowdown.c - see gpu-slowdown.h. */
#include "analyse/gpu-slowdown.h"

#include <math.h>
#include <stdio.h>

#include "analyse/value.h"
#include "merge/run.h"

enum {
	ROWS = 20,
	LEAST = 5, /* launches of a kind, of each of both */
};
#define Z 1.959964 /* of the normal distribution: 95 % are within */

/* Sums over kinds of launches. */
struct sums {
	double on, off;       /* launches */
	double with, without; /* n1 m1, n1 m0: ns */
	double with_variance, without_variance;
	size_t kinds;
};

struct slowdown {
	double share, margin;
};

/* Of a mean. */
static double variance(double count, double sum, double squares)
{
	double mean = sum / count;

	return fmax(squares / count - mean * mean, 0) / (count - 1);
}

static bool is_comparable(const struct run_compared *c)
{
	return c->on_count >= LEAST && c->off_count >= LEAST && c->off_ns;
}

static void add(struct sums *to, const struct run_compared *c)
{
	double on = (double)c->on_count, off = (double)c->off_count;

	to->kinds++;
	to->on += on;
	to->off += off;
	to->with += (double)c->on_ns;
	to->without += on * (double)c->off_ns / off;
	to->with_variance +=
		on * on * variance(on, (double)c->on_ns, c->on_squares);
	to->without_variance +=
		on * on * variance(off, (double)c->off_ns, c->off_squares);
}

static struct slowdown slowdown_of(const struct sums *s)
{
	double ratio = s->with / s->without;

	return (struct slowdown){
		.share = ratio - 1,
		.margin = Z *
			  sqrt(s->with_variance +
			       ratio * ratio * s->without_variance) /
			  s->without,
	};
}

static struct sums all_of(const struct run *run)
{
	struct sums all = { 0 };

	for (size_t i = 0; i < run->facts.compared_count; i++)
		if (is_comparable(&run->facts.compared[i]))
			add(&all, &run->facts.compared[i]);
	return all;
}

void gpu_slowdown_say(struct report *report, const struct run *run)
{
	struct sums all = all_of(run);
	struct slowdown s;
	char host[32];

	if (!run->facts.sampling_count)
		return;
	if (all.kinds) {
		s = slowdown_of(&all);
		report_line(report,
			    "While they were sampled kernels took %.1f %% "
			    "(± %.1f) more time: %.0f launches, and %.0f alike "
			    "that were not sampled.",
			    100 * s.share, 100 * s.margin, all.on, all.off);
	} else {
		report_line(report,
			    "How much samples slowed kernels is not known: it "
			    "takes 3 s and launches that are alike.");
	}
	report_line(report, "Hosts spent %s on taking samples.",
		    value_time(host, (double)run->facts.sampling->ns / 1e9));
}

static void row(struct report *report, const struct run *run,
		const struct run_compared *c)
{
	struct sums one = { 0 };
	struct slowdown s;

	add(&one, c);
	s = slowdown_of(&one);
	report_text(report, str_at(&run->strings, c->function));
	report_count(report, c->on_count);
	report_count(report, c->off_count);
	report_number(report, (double)c->on_ns / (double)c->on_count / 1e9);
	report_number(report, (double)c->off_ns / (double)c->off_count / 1e9);
	report_share(report, s.share, s.margin);
	report_number(report, s.share - s.margin);
	report_number(report, s.share + s.margin);
}

void gpu_slowdown_table(struct report *report, const struct run *run,
			const struct analysis_options *options)
{
	size_t left = value_limit(options, ROWS, all_of(run).kinds);

	if (!left)
		return;
	report_table(report, "slowdown", "what samples cost");
	report_column(report, "kernel", "kernel", COLUMN_TEXT);
	report_column(report, "sampled", "sampled", COLUMN_COUNT);
	report_column(report, "unsampled", "not", COLUMN_COUNT);
	report_column(report, "mean_sampled", "mean sampled", COLUMN_SECONDS);
	report_column(report, "mean_unsampled", "not", COLUMN_SECONDS);
	report_column(report, "slowdown", "slow-down", COLUMN_SHARE);
	report_column(report, "slowdown_low", NULL, COLUMN_SHARE);
	report_column(report, "slowdown_high", NULL, COLUMN_SHARE);
	for (size_t i = 0; i < run->facts.compared_count && left; i++)
		if (is_comparable(&run->facts.compared[i])) {
			row(report, run, &run->facts.compared[i]);
			left--;
		}
}
