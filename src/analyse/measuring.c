/* SPDX-License-Identifier: BSD-3-Clause */
/* measuring.c - how it was measured, what that is worth, cost and lost. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/confidence.h"
#include "analyse/findings.h"
#include "analyse/value.h"
#include "base/whole.h"
#include "live/layout.h"

#define ENOUGH 0.9  /* of the rate asked for: worth no warning */
#define UNEVEN 0.9  /* of the samples' number, in equal ones */
#define ASTRAY 0.05 /* of the system's count of CPU time, worth a note */
#define DEAR   0.03 /* of the CPU time, that wrappers take: worth a warning */
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
	double cost, wrappers;            /* of it */
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

static struct totals total(const struct run *run)
{
	struct totals t = { .one_clock = true };

	for (size_t i = 0; i < run->rank_count; i++) {
		const struct run_rank *r = &run->ranks[i];

		t.samples += (double)r->samples;
		t.ticks += (double)r->ticks;
		t.base += seconds_sampled(r);
		t.cpu += (double)r->cpu_ns / 1e9;
		t.cost += (double)(r->handler_ns + r->wrapper_ns) / 1e9;
		t.wrappers += (double)r->wrapper_ns / 1e9;
		t.one_clock &= r->clock == run->ranks[0].clock;
	}
	return t;
}

static void rate(struct report *report, const struct run *run,
		 const struct totals *t)
{
	const struct run_rank *first = &run->ranks[0];
	double achieved = value_ratio(t->samples, t->base);
	char samples[32];

	report_note(report,
		    "Measured with %s, %.0f per second of %s time "
		    "(%" PRIu64 " asked for); %s%s.",
		    value_many(samples, t->samples, "sample"), achieved,
		    samples_wall(first) ? "wall" : "CPU", first->freq,
		    clock_name(first->clock),
		    t->one_clock ? ""
		    : run->world ? " (others on some ranks)"
				 : " (others in some processes)");
	if (first->wall == LIVE_WALL_ADDED)
		report_note(report,
			    "! Waiting could not be sampled with this clock: "
			    "it was added to the samples that followed, so "
			    "wall.time is right in all, but not in its "
			    "places (see: copse check).");
}

/* By copse itself; the note says so. */
static bool lowered(struct report *report, const struct run *run)
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
			    value_plural(noun, ranks, value_noun(run)),
			    1e9 / (double)slowest);
	return ranks;
}

static void falls_short(struct report *report, const struct run *run,
			const struct totals *t)
{
	double achieved = value_ratio(t->samples, t->base);

	if (t->samples >= CONFIDENCE_FEW &&
	    achieved < ENOUGH * (double)run->ranks[0].freq)
		report_note(report,
			    "! Fewer samples came than were asked for: totals "
			    "hold, since each sample carries its time, but "
			    "shares are coarser.");
}

double findings_rate(const struct run *run)
{
	struct totals t = total(run);

	return value_ratio(t.samples, t.base);
}

/* Two shares say enough to place the others. */
static void worth(struct report *report, const struct run *run,
		  const struct run_metric *metric, const struct totals *t)
{
	double samples = metric ? confidence_samples(run, metric) : 0;
	char uneven[80] = "";

	if (samples <= 0)
		return;
	if (samples < UNEVEN * t->samples)
		snprintf(uneven, sizeof(uneven),
			 "; samples weigh unevenly, and are worth %.0f "
			 "equal ones",
			 samples);
	report_note(report,
		    "With 95 %% confidence, a share of 50 %% is right within "
		    "%.1f points, one of 5 %% within %.1f%s.",
		    100 * confidence_of(0.5, samples).margin,
		    100 * confidence_of(0.05, samples).margin, uneven);
}

/*
 * The samples that the system's count of CPU time should have, and have not:
 * what ran before the collector, or while it was paused.  Processes that the
 * program started are not counted; they weigh with what they have, so that a
 * few samples of a shell are not the run's.
 */
static void account(struct report *report, const struct run *run)
{
	double counted = 0, sampled = 0;

	for (size_t i = 0; i < run->rank_count; i++) {
		const struct run_rank *r = &run->ranks[i];

		counted += (double)(r->process_cpu_ns ? r->process_cpu_ns
						      : r->cpu_ns);
		sampled += (double)r->cpu_ns;
	}
	if (counted > 0 && fabs(sampled / counted - 1) > ASTRAY)
		report_note(report,
			    "Samples hold %.1f %% of the CPU time that the "
			    "system counted.",
			    100 * sampled / counted);
}

static const char *loss_help(const char *name)
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
static bool is_of_samples(const char *name)
{
	return strncmp(name, "gpu.", 4) != 0 && strncmp(name, "wall.", 5) != 0;
}

static void losses(struct report *report, const struct run *run,
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
		if (!is_of_samples(name)) {
			report_note(report, "%.0f %s (%s).", sums[i].count,
				    loss_help(name), name);
			continue;
		}
		none = false;
		report_note(report, "%.0f %s (%s), %.2g %%.", sums[i].count,
			    loss_help(name), name,
			    100 * value_ratio(sums[i].count,
					      t->samples + sums[i].count));
	}
	if (none)
		report_note(report, "No sample was lost, no call path cut.");
	free(sums);
}

void findings_losses(struct report *report, const struct run *run)
{
	struct loss_sum *sums = calloc(run->loss_count + 1, sizeof(*sums));
	size_t count = sums ? sum_losses(run, sums) : 0;
	struct totals t = total(run);

	report->failed |= !sums;
	report_table(report, "losses", NULL);
	report_column(report, "name", NULL, COLUMN_TEXT);
	report_column(report, "count", NULL, COLUMN_COUNT);
	report_column(report, "share", NULL, COLUMN_SHARE);
	for (size_t i = 0; i < count; i++) {
		const char *name = str_at(&run->strings, sums[i].name);

		report_text(report, name);
		report_count(report, whole(sums[i].count));
		if (is_of_samples(name))
			report_number(report,
				      value_ratio(sums[i].count,
						  t.samples + sums[i].count));
		else
			report_none(report);
	}
	free(sums);
}

static void few_in_run(struct report *report, double samples)
{
	struct confidence c = confidence_of(0.5, samples);
	char text[32];

	if (samples < 1)
		report_line(report,
			    "! No samples: nothing can be said of where "
			    "the time went; run longer, or with "
			    "--freq.");
	else
		report_line(report,
			    "! Only %s: too few to say where the time went "
			    "(50 %% could be %.0f to %.0f %%); run longer, or "
			    "with --freq.",
			    value_many(text, samples, "sample"), 100 * c.low,
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
	list = count ? value_list(run, picked, count) : NULL;
	report->failed |= count && !list;
	if (list)
		report_line(report,
			    "! %s (%s) with fewer than %d samples, the least "
			    "%" PRIu64 ": too few to say where the time of a "
			    "rank went.",
			    value_plural(noun, count, "rank"), list,
			    CONFIDENCE_FEW, run->ranks[least].samples);
	free(list);
	free(picked);
}

void findings_few(struct report *report, const struct run *run)
{
	struct totals t = total(run);

	if (t.samples < CONFIDENCE_FEW)
		few_in_run(report, t.samples);
	else if (run->world)
		few_in_ranks(report, run);
}

/* What the numbers above are not about. */
static void pauses(struct report *report, const struct run *run)
{
	double count = (double)run->rank_count, sum = 0, of = 0;
	char paused[32], elapsed[32];

	for (size_t i = 0; i < run->rank_count; i++) {
		sum += (double)run->ranks[i].paused_ns / 1e9;
		of += (double)run->ranks[i].elapsed_ns / 1e9;
	}
	if (sum > 0)
		report_note(report,
			    "Measuring was paused for %s of %s%s: what "
			    "happened meanwhile is in no other number here, "
			    "CPU time included.",
			    value_time(paused, sum / count),
			    value_time(elapsed, of / count),
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
		value_many(to, count, "MPI call");
	return to;
}

/*
 * A program that calls MPI all the time is slower by it, and between calls.
 * Other things are wrapped as well: calls of CUDA, ticks of events.
 */
static void wrappers(struct report *report, const struct run *run,
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
		    "%s; what the program did between "
		    "calls seems that much longer. copse run --mpi=off leaves "
		    "them alone.",
		    value_time(cost, t->wrappers), calls_text(calls, all),
		    100 * value_ratio(most.count, all),
		    str_at(&run->strings, most.function));
}

/* What the collector did to lower that cost. */
void findings_untimed(struct report *report, const struct run *run)
{
	struct calls most;
	char calls[48];
	double untimed;

	if (most_called(report, run, "mpi.calls.untimed", &most, &untimed))
		report_note(report,
			    "To keep to the budget (copse run --budget), %s "
			    "that only ask, most of them of %s, were counted "
			    "and not timed: their time is an "
			    "estimate, from others drawn by lot.",
			    calls_text(calls, untimed),
			    str_at(&run->strings, most.function));
}

static void events(struct report *report, const struct run *run)
{
	size_t count = 0;
	char text[32];

	for (size_t i = 0; i < run->metric_count; i++)
		count += !strncmp(run->metrics[i].name, METRIC_EVENT,
				  strlen(METRIC_EVENT));
	if (count)
		report_note(report,
			    "Counted as well: %s; copse report counters shows "
			    "what came.",
			    value_plural(text, count, "event"));
}

void findings_measuring(struct report *report, const struct run *run,
			const struct run_metric *metric)
{
	struct totals t = total(run);
	char cost[32];

	if (!run->rank_count)
		return;
	pauses(report, run);
	rate(report, run, &t);
	if (!lowered(report, run))
		falls_short(report, run, &t);
	worth(report, run, metric, &t);
	account(report, run);
	report_note(report, "Measuring cost %s of CPU time, %.2f %%.",
		    value_time(cost, t.cost), 100 * value_ratio(t.cost, t.cpu));
	wrappers(report, run, &t);
	findings_untimed(report, run);
	events(report, run);
	losses(report, run, &t);
}
