/* SPDX-License-Identifier: BSD-3-Clause */
/* measuring.c - notes on how it was measured, what that cost and lost. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/findings.h"
#include "analyse/value.h"
#include "live/layout.h"

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
	double samples, base, ticks, cpu, cost; /* base: seconds sampled */
	bool one_clock;
};

static struct totals total(const struct run *run)
{
	struct totals t = { .one_clock = true };

	for (size_t i = 0; i < run->rank_count; i++) {
		const struct run_rank *r = &run->ranks[i];

		t.samples += (double)r->samples;
		t.ticks += (double)r->ticks;
		t.base += (double)(r->wall ? r->wall_ns : r->cpu_ns) / 1e9;
		t.cpu += (double)r->cpu_ns / 1e9;
		t.cost += (double)(r->handler_ns + r->wrapper_ns) / 1e9;
		t.one_clock &= r->clock == run->ranks[0].clock;
	}
	return t;
}

static void rate(struct report *report, const struct run *run,
		 const struct totals *t)
{
	const struct run_rank *first = &run->ranks[0];
	double achieved = value_ratio(t->samples, t->base);

	report_note(report,
		    "Measured with %.0f samples, %.0f per second of %s time "
		    "(%" PRIu64 " asked for); %s%s.",
		    t->samples, achieved, first->wall ? "wall" : "CPU",
		    first->freq, clock_name(first->clock),
		    t->one_clock ? "" : " (others on some ranks)");
	if (t->samples >= 100 && achieved < 0.9 * (double)first->freq)
		report_note(report,
			    "Fewer samples came than were asked for: totals "
			    "hold, since each sample carries its time, but "
			    "shares are coarser.");
}

static void lowered(struct report *report, const struct run *run)
{
	uint64_t slowest = 0;
	size_t ranks = 0;

	for (size_t i = 0; i < run->rank_count; i++) {
		const struct run_rank *r = &run->ranks[i];

		ranks += r->slowest_ns * r->freq > 1000000000u;
		if (slowest < r->slowest_ns)
			slowest = r->slowest_ns;
	}
	if (ranks)
		report_note(report,
			    "The rate was lowered on %zu rank%s, to %.0f per "
			    "second at the least, so that sampling keeps to "
			    "its budget (copse run --budget).",
			    ranks, ranks == 1 ? "" : "s",
			    1e9 / (double)slowest);
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

void findings_measuring(struct report *report, const struct run *run)
{
	struct totals t = total(run);
	char cost[32];

	if (!run->rank_count)
		return;
	rate(report, run, &t);
	lowered(report, run);
	report_note(report, "Measuring cost %s of CPU time, %.2f %%.",
		    value_time(cost, t.cost), 100 * value_ratio(t.cost, t.cpu));
	losses(report, run, &t);
}
