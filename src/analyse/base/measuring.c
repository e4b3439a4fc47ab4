/* SPDX-License-Identifier: BSD-3-Clause */
/* measuring.c - how it was measured, what that is worth, cost and lost. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/account.h"
#include "analyse/base/confidence.h"
#include "analyse/base/measuring.h"
#include "analyse/base/report.h"
#include "analyse/base/phrase.h"
#include "analyse/base/processes.h"
#include "analyse/base/value.h"
#include "base/round.h"
#include "live/layout.h"

#define ENOUGH 0.9  /* of the rate asked for: worth no warning */
#define UNEVEN 0.9  /* of the samples' number, in equal ones */
#define MANY   2    /* times the rate asked for: worth a warning */
#define PART   0.1  /* of the cost, worth to be named */
#define MOST   0.5  /* of the call paths */
#define DEAR   0.03 /* of the CPU time, that wrappers take: worth a warning */
#define STARTS 0.01 /* of it, that starts take: worth to be named */
#define A_CALL 1e-6 /* seconds: no wrapper of MPI takes more on average */

static const char *const clocks[] = {
	[LIVE_CLOCK_NONE] = "no clock",
	[LIVE_CLOCK_SIGTRAP] = "perf task clock, kernel time included",
	[LIVE_CLOCK_MIXED] = "perf task clock for user time, CPU timer for "
			     "the kernel's",
	[LIVE_CLOCK_TIMER] = "CPU timer: few samples, in step with the "
			     "scheduler, so shares are rough",
};

static const char *clock_name(uint32_t clock)
{
	if (clock < sizeof(clocks) / sizeof(*clocks))
		return clocks[clock];
	return "a clock that this copse does not know";
}

struct totals {
	double samples, base, ticks, cpu; /* base: seconds sampled */
	double cost, cost_of;             /* seconds, of so many of CPU time */
	double wrappers, switching, starting; /* of it */
	double switches, timers;
	double starts; /* of processes, what the collector took for them */
	bool one_clock;
};

static bool samples_wall(const struct run_rank *r)
{
	return r->wall == LIVE_WALL_SAMPLED;
}

static double seconds_sampled(const struct run_rank *r)
{
	return (double)(samples_wall(r) ? r->wall_ns : r->cpu_ns) / 1e9;
}

static struct totals measured_totals(const struct run *run)
{
	struct totals t = { .one_clock = true };

	for (size_t i = 0; i < run->rank_count; i++) {
		const struct run_rank *r = &run->ranks[i];

		t.samples += (double)r->samples;
		t.ticks += (double)r->ticks;
		t.base += seconds_sampled(r);
		t.cpu += (double)r->cpu_ns / 1e9;
		t.cost += measuring_cost(r);
		t.cost_of += measuring_cpu(r);
		t.wrappers += (double)r->wrapper_ns / 1e9;
		t.switching += (double)r->switch_ns / 1e9;
		t.starts += (double)r->family.own_ns / 1e9;
		t.starting += (double)r->threads_ns / 1e9;
		t.switches += (double)r->switches;
		t.timers += (double)r->timer_samples;
		t.one_clock &= r->clock == run->ranks[0].clock;
	}
	return t;
}

static void put_sampling_rate(struct report *report, const struct run *run,
			      const struct totals *t)
{
	const struct run_rank *first = &run->ranks[0];
	double achieved = value_ratio(t->samples, t->base);
	char samples[32];

	report_note(report,
		    "Measured with %s, %.0f per second of %s time "
		    "(%" PRIu64 " asked for); %s%s.",
		    phrase_many(samples, t->samples, "sample"), achieved,
		    samples_wall(first) ? "wall" : "CPU", first->freq,
		    clock_name(first->clock),
		    t->one_clock ? ""
		    : run->world ? " (others on some ranks)"
				 : " (others in some processes)");
}

static void warn_of_clock(struct report *report, const struct run *run,
			  const struct totals *t)
{
	const struct run_rank *first = &run->ranks[0];
	double achieved = value_ratio(t->samples, t->base);

	if (samples_wall(first) && !first->attached &&
	    achieved > MANY * (double)first->freq)
		report_note(
			report,
			"! Each return from waiting took a sample (-e wall). "
			"The kernel's time for them, some microseconds each, "
			"is not part of the cost below.");
	if (first->wall == LIVE_WALL_ADDED)
		report_note(report,
			    "! Waiting could not be sampled with this clock; "
			    "it was added to the next sample. The total of "
			    "wall.time is correct, but its attribution to call "
			    "paths is not (see: copse check).");
}

/*
 * A task clock is stopped and set again at each switch: where that would cost
 * more than its budget, a timer stood in for it.
 */
static void by_timer(struct report *report, const struct run *run,
		     const struct totals *t)
{
	size_t ranks = 0;
	char noun[32];

	for (size_t i = 0; i < run->rank_count; i++)
		ranks += run->ranks[i].timer_samples > 0;
	if (ranks)
		report_note(
			report,
			"In %s, this clock would have exceeded its budget "
			"(copse run --budget), because threads or processes "
			"were switched so often. A timer replaced it, at a "
			"lower rate: %.0f %% of the samples.",
			phrase_plural(noun, ranks, processes_noun(run)),
			100 * value_ratio(t->timers, t->samples));
}

/* By copse itself; the note says so. */
static void say_lowered_rate(struct report *report, const struct run *run)
{
	uint64_t slowest = 0;
	size_t ranks = 0;
	char noun[32];

	for (size_t i = 0; i < run->rank_count; i++) {
		const struct run_rank *r = &run->ranks[i];

		ranks += r->slowest_ns * r->freq > 1000000000u;
		if (slowest < r->slowest_ns)
			slowest = r->slowest_ns;
	}
	if (ranks)
		report_note(report,
			    "The rate was lowered in %s, to %.0f per second "
			    "at the least, so that sampling keeps to its "
			    "budget (copse run --budget).",
			    phrase_plural(noun, ranks, processes_noun(run)),
			    1e9 / (double)slowest);
}

static bool is_attached(const struct run *run)
{
	for (size_t i = 0; i < run->rank_count; i++)
		if (run->ranks[i].attached)
			return true;
	return false;
}

/*
 * The rate is less than was asked for because that keeps to the budget, or
 * because waiting is looked at more rarely.
 */
static bool is_by_copse(const struct run *run)
{
	for (size_t i = 0; i < run->rank_count; i++) {
		const struct run_rank *r = &run->ranks[i];

		if (r->timer_samples || r->slowest_ns * r->freq > 1000000000u)
			return true;
	}
	return is_attached(run);
}

static void say_if_rate_falls_short(struct report *report,
				    const struct run *run,
				    const struct totals *t)
{
	double achieved = value_ratio(t->samples, t->base);

	/* Samples stand for other processes as well. */
	if (is_by_copse(run) ||
	    account_of(run).unsampled > (double)run->rank_count)
		return;
	if (t->samples >= CONFIDENCE_FEW &&
	    achieved < ENOUGH * (double)run->ranks[0].freq)
		report_note(report,
			    "! Fewer samples were taken than requested: totals "
			    "are correct, since each sample carries its time, "
			    "but shares are less exact.");
}

double measuring_rate(const struct run *run)
{
	struct totals t = measured_totals(run);

	return value_ratio(t.samples, t.base);
}

double measuring_cost(const struct run_rank *r)
{
	return (double)(r->handler_ns + r->wrapper_ns + r->switch_ns +
			r->threads_ns) /
	       1e9;
}

double measuring_cpu(const struct run_rank *r)
{
	return (double)(r->cpu_ns + r->threads_missed_ns) / 1e9;
}

/* Two shares say enough to place the others. */
static void say_confidence(struct report *report, const struct run *run,
			   const struct run_metric *metric,
			   const struct totals *t)
{
	double samples = metric ? confidence_samples(run, metric) : 0;
	char uneven[80] = "";

	if (samples <= 0)
		return;
	if (samples < UNEVEN * t->samples)
		snprintf(
			uneven, sizeof(uneven),
			"; samples have unequal weights, worth %.0f equal ones",
			samples);
	report_note(report,
		    "With 95 %% confidence, a share of 50 %% is right within "
		    "%.1f points, one of 5 %% within %.1f%s.",
		    100 * confidence_of(0.5, samples).margin,
		    100 * confidence_of(0.05, samples).margin, uneven);
}

static const char *loss_sentence(const char *name)
{
	for (size_t i = 0; i < LOSS_COUNT; i++)
		if (!strcmp(loss_infos[i].name, name))
			return loss_infos[i].help;
	return name;
}

struct loss_sum {
	uint32_t name; /* string of the run */
	double count;
};

/* The losses of all ranks by name; how many names there are. */
static size_t sum_losses(const struct run *run, struct loss_sum *sums)
{
	size_t count = 0, i;

	for (size_t row = 0; row < run->loss_count; row++) {
		for (i = 0; i < count; i++)
			if (sums[i].name == run->losses[row].name)
				break;
		if (i == count)
			sums[count++].name = run->losses[row].name;
		sums[i].count += (double)run->losses[row].count;
	}
	return count;
}

/* What adapters of GPUs lose has no share of the samples, nor has time. */
static bool is_loss_of_samples(const char *name)
{
	return strncmp(name, "gpu.", 4) != 0 && strncmp(name, "wall.", 5) != 0;
}

static bool is_partial(const char *name)
{
	return !strncmp(name, "partial.", 8);
}

/*
 * What was dropped is not among the samples; a partial path is one of those
 * that were met.  Of threads and counters there is no share: NAN.
 */
static double share_lost(const char *name, double count, const struct totals *t)
{
	if (!strncmp(name, "dropped.", 8))
		return value_ratio(count, t->samples + count);
	if (is_partial(name) || !strncmp(name, "joined.", 7) ||
	    !strncmp(name, "verify.", 7))
		return value_ratio(count, fmax(t->ticks, count));
	return NAN;
}

static void say_loss(struct report *report, const char *name, double count,
		     const struct totals *t)
{
	double share = share_lost(name, count, t);

	if (isnan(share))
		report_note(report, "%.0f %s (%s).", count, loss_sentence(name),
			    name);
	else
		report_note(report, "%.0f %s (%s), %.*f %%.", count,
			    loss_sentence(name), name, share < 0.1 ? 2 : 0,
			    100 * share);
}

static void say_all_losses(struct report *report, const struct run *run,
			   const struct totals *t)
{
	struct loss_sum *sums = calloc(run->loss_count + 1, sizeof(*sums));
	size_t count = sums ? sum_losses(run, sums) : 0;
	bool none = true;

	report->failed |= !sums;
	for (size_t i = 0; i < count; i++) {
		const char *name = str_at(&run->strings, sums[i].name);

		if (sums[i].count <= 0)
			continue;
		say_loss(report, name, sums[i].count, t);
		none &= !is_loss_of_samples(name);
	}
	if (none)
		report_note(report, "No sample was lost, no call path cut.");
	free(sums);
}

void measuring_losses(struct report *report, const struct run *run)
{
	struct loss_sum *sums = calloc(run->loss_count + 1, sizeof(*sums));
	size_t count = sums ? sum_losses(run, sums) : 0;
	struct totals t = measured_totals(run);

	report->failed |= !sums;
	report_table(report, "losses", NULL);
	report_column(report, "name", NULL, COLUMN_TEXT);
	report_column(report, "count", NULL, COLUMN_COUNT);
	report_column(report, "share", NULL, COLUMN_SHARE);
	for (size_t i = 0; i < count; i++) {
		const char *name = str_at(&run->strings, sums[i].name);

		report_text(report, name);
		report_count(report, round_to_count(sums[i].count));
		value_known(report, share_lost(name, sums[i].count, &t));
	}
	free(sums);
}

void measuring_rootless(struct report *report, const struct run *run,
			const struct complete *paths)
{
	struct loss_sum *sums = calloc(run->loss_count + 1, sizeof(*sums));
	size_t count = sums ? sum_losses(run, sums) : 0;
	double met = paths->ticks - paths->dropped;
	double share = value_ratio(met - paths->complete, met);
	const struct loss_sum *most = NULL;

	report->failed |= !sums;
	for (size_t i = 0; i < count; i++)
		if (is_partial(str_at(&run->strings, sums[i].name)) &&
		    (!most || sums[i].count > most->count))
			most = &sums[i];
	if (most && met >= CONFIDENCE_FEW && share > MOST)
		report_line(report,
			    "! %.0f %% of the call paths lack their root, most "
			    "of them %s (%s): their callers are not known.",
			    100 * share,
			    loss_sentence(str_at(&run->strings, most->name)),
			    str_at(&run->strings, most->name));
	free(sums);
}

static void few_in_run(struct report *report, double samples)
{
	struct confidence c = confidence_of(0.5, samples);
	char text[32];

	if (samples < 1)
		report_line(report, "! No samples: where the time went is not "
				    "known; run longer, or with --freq.");
	else
		report_line(report,
			    "! Only %s: too few to say where the time went "
			    "(50 %% could be %.0f to %.0f %%); run longer, or "
			    "with --freq.",
			    phrase_many(text, samples, "sample"), 100 * c.low,
			    100 * c.high);
}

/* A rank's own shares are rough, even if those of the run are not. */
static void few_in_ranks(struct report *report, const struct run *run)
{
	uint32_t *picked = calloc(run->member_count + 1, sizeof(*picked));
	size_t count = 0, least = 0;
	char *list, noun[32];

	report->failed |= !picked;
	for (size_t i = 0; picked && i < run->member_count; i++) {
		if (run->ranks[i].samples < run->ranks[least].samples)
			least = i;
		if (run->ranks[i].samples < CONFIDENCE_FEW)
			picked[count++] = (uint32_t)i;
	}
	list = count ? processes_list(run, picked, count) : NULL;
	report->failed |= count && !list;
	if (list)
		report_line(report,
			    "! %s (%s) with fewer than %d samples, the least "
			    "%" PRIu64 ": too few to say where the time of a "
			    "rank went.",
			    phrase_plural(noun, count, "rank"), list,
			    CONFIDENCE_FEW, run->ranks[least].samples);
	free(list);
	free(picked);
}

/* What is missing does not look so. */
static void say_attached(struct report *report, const struct run *run)
{
	if (is_attached(run))
		report_note(report,
			    "Measured from outside, for a while (copse "
			    "attach): not known are MPI calls and who waited "
			    "for whom, GPU work, files, locks, and what was "
			    "before.");
}

void measuring_few(struct report *report, const struct run *run)
{
	struct totals t = measured_totals(run);

	say_attached(report, run);
	if (t.samples < CONFIDENCE_FEW)
		few_in_run(report, t.samples);
	else if (run->world)
		few_in_ranks(report, run);
}

/* What they are about, where that was not all. */
static void say_window(struct report *report, const struct run *run)
{
	uint64_t from = UINT64_MAX, until = 0, more = 0;
	const struct run_rank *first = NULL;
	char end[32] = "the last one", of[64] = "";

	for (size_t i = 0; i < run->rank_count; i++) {
		const struct run_rank *r = &run->ranks[i];

		if (!r->window_kind)
			continue;
		first = first ? first : r;
		from = r->window_from < from ? r->window_from : from;
		until = r->window_until > until ? r->window_until : until;
		more = r->windows > more ? r->windows : more;
	}
	if (!first)
		return;
	if (until)
		snprintf(end, sizeof(end), "%" PRIu64, until);
	if (more > 1)
		snprintf(of, sizeof(of), ", and %" PRIu64 " windows before it",
			 more - 1);
	if (first->window_kind == LIVE_WINDOW_CALLS)
		report_note(report,
			    "Measured: collective calls %" PRIu64 " to %s on "
			    "MPI_COMM_WORLD, as copse control or --iterations "
			    "asked%s.",
			    from + 1, end, of);
	else
		report_note(report,
			    "Measured: marks %" PRIu64 " to %s of "
			    "--iterations%s.",
			    from, end, of);
}

/* What the numbers above are not about. */
static void say_pauses(struct report *report, const struct run *run)
{
	double count = (double)run->rank_count, sum = 0, of = 0;
	char paused[32], elapsed[32];

	for (size_t i = 0; i < run->rank_count; i++) {
		sum += (double)run->ranks[i].paused_ns / 1e9;
		of += (double)run->ranks[i].elapsed_ns / 1e9;
	}
	if (sum > 0)
		report_note(report,
			    "Measuring was paused for %s of %s%s: no other "
			    "number here includes that time, nor its CPU time.",
			    phrase_time(paused, sum / count),
			    phrase_time(elapsed, of / count),
			    run->rank_count > 1 ? " on average" : "");
}

struct calls {
	uint32_t function; /* string of the run */
	double count;
};

/* Adds to the function's, which is looked for among `count`. */
static size_t add_calls(struct calls *sums, size_t count, uint32_t function,
			double calls)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (sums[i].function == function)
			break;
	if (i == count)
		sums[count++] = (struct calls){ .function = function };
	sums[i].count += calls;
	return count;
}

/* The MPI function with most calls, by a metric, and the calls of all. */
static bool most_called(struct report *report, const struct run *run,
			const char *metric, struct calls *most, double *all)
{
	const struct run_metric *calls = run_metric(run, metric);
	struct calls *sums = calloc(run->node_count + 1, sizeof(*sums));
	size_t count = 0;

	*most = (struct calls){ 0 };
	*all = 0;
	report->failed |= !sums;
	for (size_t i = 0; sums && calls && i < run->node_count; i++)
		if (run->nodes[i].kind == RUN_MPI)
			count = add_calls(sums, count, run->nodes[i].function,
					  value_node(calls, i));
	for (size_t i = 0; i < count; i++) {
		*all += sums[i].count;
		if (sums[i].count > most->count)
			*most = sums[i];
	}
	free(sums);
	return most->count > 0;
}

/* "16.4 million MPI calls", "664 MPI calls"; `to` holds 48 bytes. */
static const char *calls_text(char *to, double count)
{
	if (count >= 1e6)
		snprintf(to, 48, "%.3g million MPI calls", count / 1e6);
	else
		phrase_many(to, count, "MPI call");
	return to;
}

/*
 * A program that calls MPI all the time is slower by it, and between calls.
 * Other things are wrapped as well: calls of CUDA, ticks of events.
 */
static void say_wrapper_cost(struct report *report, const struct run *run,
			     const struct totals *t)
{
	struct calls most;
	char cost[32], calls[48];
	double all;

	if (t->wrappers <= DEAR * t->cpu ||
	    !most_called(report, run, "mpi.calls", &most, &all) ||
	    t->wrappers > all * A_CALL)
		return;
	report_note(report,
		    "! %s of that went into counting %s, %.0f %% of them of "
		    "%s; the time between calls appears longer by as much. "
		    "copse run --mpi=off does not count them.",
		    phrase_time(cost, t->wrappers), calls_text(calls, all),
		    100 * value_ratio(most.count, all),
		    str_at(&run->strings, most.function));
}

/* What the collector did to lower that cost. */
void measuring_untimed(struct report *report, const struct run *run)
{
	struct calls most;
	char calls[48];
	double untimed;

	if (most_called(report, run, "mpi.calls.untimed", &most, &untimed))
		report_note(report,
			    "To keep to the budget (copse run --budget), %s "
			    "that only poll, %s of them of %s, were counted "
			    "and not timed: their time is estimated from a "
			    "random sample of such calls.",
			    calls_text(calls, untimed),
			    phrase_most(value_ratio(most.count, untimed)),
			    str_at(&run->strings, most.function));
}

static void say_events(struct report *report, const struct run *run)
{
	size_t count = 0;
	char text[32];

	for (size_t i = 0; i < run->metric_count; i++)
		count += !strncmp(run->metrics[i].name, METRIC_EVENT,
				  strlen(METRIC_EVENT));
	if (count)
		report_note(report,
			    "Also counted: %s; see copse report counters.",
			    phrase_plural(text, count, "event"));
}

/*
 * What the collector took to start, in programs and in forked children, of all
 * that the system counted; 0: little, or not known.  No budget bounds it.
 */
static double starts_share(const struct run *run, const struct totals *t)
{
	double share = value_ratio(t->starts, account_of(run).counted);

	return share > STARTS ? share : 0;
}

static void starts_note(struct report *report, const struct run *run,
			const struct totals *t)
{
	double share = starts_share(run, t);
	char starts[32];

	if (share > 0)
		report_note(report,
			    "Starting to measure processes cost %s more, %.1f "
			    "%% of what the system counted.  What loading our "
			    "libraries, and copying their mappings at a fork, "
			    "took beside is not known; the budget does not "
			    "bound it.",
			    phrase_time(starts, t->starts), 100 * share);
}

static void cost_note(struct report *report, const struct run *run,
		      const struct totals *t)
{
	char cost[32], time[32], times[48], part[128] = "", threads[64] = "";

	if (is_attached(run)) {
		report_note(report, "What the kernel took from the program for "
				    "its copies is not known (man "
				    "copse-attach).");
		return;
	}
	if (t->switching > PART * t->cost)
		snprintf(part, sizeof(part),
			 ", %s of it to set the clock at %s between threads "
			 "or processes",
			 phrase_time(time, t->switching),
			 phrase_many(times, t->switches, "switch"));
	if (t->starting > PART * t->cost)
		snprintf(threads, sizeof(threads),
			 ", %s of it to start and end threads",
			 phrase_time(time, t->starting));
	report_note(report, "Measuring cost %s of CPU time, %.2f %%%s%s.",
		    phrase_time(cost, t->cost),
		    100 * value_ratio(t->cost, t->cost_of), part, threads);
}

static void put_percent(FILE *to, const char *what, double share)
{
	fprintf(to, " · %.*g %% %s", share < 0.995 ? 2 : 3, 100 * share, what);
}

/* "none lost", "0.4 % lost"; of GPUs and counters there is no share. */
static void put_lost(FILE *to, struct report *report, const struct run *run,
		     const struct totals *t, const struct complete *paths)
{
	struct loss_sum *sums = calloc(run->loss_count + 1, sizeof(*sums));
	size_t count = sums ? sum_losses(run, sums) : 0;
	double met = paths->ticks - paths->dropped, others = 0;

	report->failed |= !sums;
	for (size_t i = 0; i < count; i++)
		if (!is_loss_of_samples(str_at(&run->strings, sums[i].name)))
			others += sums[i].count;
	free(sums);
	if (paths->dropped > 0)
		put_percent(to, "lost",
			    value_ratio(paths->dropped,
					t->samples + paths->dropped));
	else
		fputs(" · none lost", to);
	if (paths->complete < met)
		put_percent(to, "of call paths cut",
			    value_ratio(met - paths->complete, met));
	if (others > 0)
		fprintf(to, " · other losses: %.0f", others);
}

static void put_quality(struct report *report, const struct run *run,
			const struct run_metric *metric, const struct totals *t,
			const struct complete *paths)
{
	double worth = metric ? confidence_samples(run, metric) : 0;
	char samples[32], *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	report->failed |= !to;
	if (!to)
		return;
	fprintf(to, "Measured: %s", phrase_many(samples, t->samples, "sample"));
	if (worth > 0)
		fprintf(to, ", 50 ± %.1f %%",
			100 * confidence_of(0.5, worth).margin);
	if (is_attached(run))
		fputs(" · cost not known", to);
	else
		fprintf(to, " · cost %.2f %%",
			100 * value_ratio(t->cost, t->cost_of));
	if (starts_share(run, t) > 0)
		fprintf(to, ", and %.0f %% to start processes",
			100 * starts_share(run, t));
	put_lost(to, report, run, t, paths);
	if (!fclose(to))
		report_note(report, "%s · more: copse report measurement",
			    text);
	free(text);
}

/* An interpreter that is too old or too new, above all without a GIL. */
static void python_unknown(struct report *report, const struct run *run)
{
	for (size_t i = 0; i < run->rank_count; i++) {
		const struct run_rank *r = &run->ranks[i];

		if (!r->python || r->python_known)
			continue;
		report_note(report,
			    "Of Python %u.%u call paths have the interpreter's "
			    "frames; functions of Python are known of 3.9 to "
			    "3.15, without a GIL only of 3.13.",
			    r->python >> 8, r->python & 0xff);
		return;
	}
}

void measuring_quality(struct report *report, const struct run *run,
		       const struct run_metric *metric,
		       const struct complete *paths)
{
	struct totals t = measured_totals(run);

	if (!run->rank_count)
		return;
	say_window(report, run);
	say_pauses(report, run);
	warn_of_clock(report, run, &t);
	say_if_rate_falls_short(report, run, &t);
	account_failed(report, run);
	say_wrapper_cost(report, run, &t);
	say_events(report, run);
	python_unknown(report, run);
	put_quality(report, run, metric, &t, paths);
}

void measuring_findings(struct report *report, const struct run *run,
			const struct run_metric *metric)
{
	struct totals t = measured_totals(run);

	if (!run->rank_count)
		return;
	say_window(report, run);
	say_pauses(report, run);
	put_sampling_rate(report, run, &t);
	warn_of_clock(report, run, &t);
	say_lowered_rate(report, run);
	by_timer(report, run, &t);
	say_if_rate_falls_short(report, run, &t);
	say_confidence(report, run, metric, &t);
	account_say(report, run, metric);
	account_failed(report, run);
	cost_note(report, run, &t);
	starts_note(report, run, &t);
	say_wrapper_cost(report, run, &t);
	measuring_untimed(report, run);
	say_events(report, run);
	say_all_losses(report, run, &t);
}
