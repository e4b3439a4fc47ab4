/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fact-iterations.c - what stands out among the steps of the program: a row for
 * each reason for which iterations took long, for a rank that is slow now and
 * then, for drift, and for what is before and behind them.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyse/diagnose/facts.h"
#include "analyse/base/processes.h"
#include "analyse/time/step-findings.h"
#include "analyse/base/value.h"
#include "base/err.h"
#include "live/layout.h"

#define FRAMES 2

#define ITERATION_FIELDS(FIELD)                                                \
	FIELD(SLOW, "slow", NUMBER, "1: iterations that took long")            \
	FIELD(LATE, "late", NUMBER, "1: a rank that is slow now and then")     \
	FIELD(DRIFT, "drift", SHARE,                                           \
	      "of the first tenth, by which the last takes longer")            \
	FIELD(ENDS, "ends", NUMBER, "1: what is not an iteration")             \
	FIELD(SAVED, "saved", SECONDS,                                         \
	      "of the elapsed time, if they took the usual time")              \
	FIELD(SHARE, "share", SHARE, "the same, of the elapsed time")          \
	FIELD(ITERATIONS, "iterations", COUNT, "number of all")                \
	FIELD(REGULAR, "regular", SHARE,                                       \
	      "of iterations, those of about the usual length")                \
	FIELD(USUAL_SHARE, "usual_share", SHARE,                               \
	      "of the time of iterations but the longest, what they take if "  \
	      "all are usual; less: they are parts of steps")                  \
	FIELD(USUAL, "usual", SECONDS, "what an iteration takes")              \
	FIELD(NUMBER, "number", COUNT, "of the longest one, from 0")           \
	FIELD(TIMES, "times", COUNT, "iterations that it is about")            \
	FIELD(TOOK, "took", SECONDS, "the longest one")                        \
	FIELD(FACTOR, "factor", NUMBER, "the same, by the usual")              \
	FIELD(PERIOD, "period", COUNT,                                         \
	      "they come each so many iterations; 0: irregularly")             \
	FIELD(FIRST, "first", SECONDS, "usual in the first tenth")             \
	FIELD(LAST, "last", SECONDS, "usual in the last tenth")                \
	FIELD(BEFORE, "before", SECONDS, "until the first one")                \
	FIELD(AFTER, "after", SECONDS, "from the last one on")                 \
	FIELD(FUNCTION, "function", TEXT,                                      \
	      "the path with most of it; for ends, before the first one")      \
	FIELD(AFTER_FUNCTION, "after_function", TEXT,                          \
	      "the path with most of what is after the last")                  \
	FIELD(RANKS, "ranks", TEXT, "\"rank 3\", or \"all ranks\"")            \
	FIELD(WHEN, "when", TEXT,                                              \
	      "\"iteration 12\", \"12 iterations, one of 10\"")

FACT_TABLE(iteration_fields, ITERATION_FIELDS)

struct iteration_facts {
	struct facts *to;
	const struct fact_source *from;
	const struct step_times *t;
	struct step_findings f;
};

static char *name_of_step_path(const struct iteration_facts *of, uint32_t path)
{
	return path ? paths_short(of->from->paths, path, FRAMES)
		    : strdup("a path that is not known");
}

static double usual_share(const struct step_times *t)
{
	double longest = 0;

	for (size_t row = 0; row < t->count; row++)
		longest = fmax(longest, t->at[row].median);
	return value_ratio(t->usual * (double)t->step->iterations,
			   t->end - t->begin - longest);
}

/* rank: index into ranks, or STEP_ALL. */
static struct fact *iteration_fact(struct iteration_facts *of, uint32_t path,
				   uint32_t rank, double saved)
{
	const struct run *run = of->from->run;
	struct fact *f = facts_add(of->to, path);
	uint32_t member =
		rank == STEP_ALL ? 0 : run->iterations.ranks[rank].rank;

	if (!f)
		return NULL;
	f->values[SAVED].number = saved;
	f->values[SHARE].number = value_ratio(saved, of->from->elapsed);
	f->values[ITERATIONS].number = (double)of->t->step->iterations;
	f->values[REGULAR].number = of->t->step->regular;
	f->values[USUAL_SHARE].number = usual_share(of->t);
	f->values[USUAL].number = of->t->usual;
	f->values[FIRST].number = of->t->first;
	f->values[LAST].number = of->t->last;
	f->values[FUNCTION].text = name_of_step_path(of, path);
	f->values[RANKS].text =
		rank == STEP_ALL
			? strdup("all ranks")
			: str_format("rank %ju",
				     (uintmax_t)processes_number(run, member));
	if (!f->values[FUNCTION].text || !f->values[RANKS].text ||
	    (rank != STEP_ALL && !fact_name_ranks(f, &member, 1)))
		return NULL;
	return f;
}

/* Seconds of a process that uses GPUs, over the run. */
static double waited_for_gpus(const struct run *run)
{
	const struct run_metric *m =
		run_metric(run, metric_infos[METRIC_GPU_WAIT].name);
	double seconds = 0;

	for (size_t i = 0; m && i < run->node_count; i++)
		seconds += value_node(m, i);
	return value_ratio(seconds, (double)run->gpu.rank_count);
}

/*
 * A host that runs ahead of its GPU waits for all that it launched in one
 * iteration of several: where nothing says what took long, that may be it.
 */
static double slow_seconds(const struct iteration_facts *of,
			   const struct step_slow *slow)
{
	return slow->path ? slow->seconds
			  : fmax(0, slow->seconds -
					    waited_for_gpus(of->from->run));
}

/* The first one sets things up, in a path of which no samples are known. */
static bool is_warm_up(const struct step_slow *slow)
{
	return !slow->path && !slow->number && slow->times == 1;
}

static int slow_fact(struct iteration_facts *of, const struct step_slow *slow)
{
	struct fact *f = iteration_fact(of, slow->path, slow->rank,
					slow_seconds(of, slow));

	if (!f)
		return no_memory();
	f->values[SLOW].number = !is_warm_up(slow);
	f->values[NUMBER].number = (double)slow->number;
	f->values[TIMES].number = slow->times;
	f->values[TOOK].number = slow->took;
	f->values[FACTOR].number = value_ratio(slow->took, of->t->usual);
	f->values[WHEN].text =
		slow->times > 1
			? str_format("%u iterations, the longest number %ju,",
				     slow->times, (uintmax_t)slow->number)
			: str_format("Iteration %ju", (uintmax_t)slow->number);
	return f->values[WHEN].text ? 0 : no_memory();
}

static int late_fact(struct iteration_facts *of)
{
	const struct step_late *late = &of->f.late;
	struct fact *f = iteration_fact(of, late->path, late->rank, late->lost);

	if (!f)
		return no_memory();
	f->values[LATE].number = 1;
	f->values[TIMES].number = late->times;
	f->values[PERIOD].number = late->period;
	f->values[TOOK].number = late->seconds;
	f->values[WHEN].text =
		late->period ? str_format("%u iterations, one of %u",
					  late->times, late->period)
			     : str_format("%u iterations", late->times);
	return f->values[WHEN].text ? 0 : no_memory();
}

static int ends_fact(struct iteration_facts *of)
{
	struct fact *f = iteration_fact(of, of->f.before_path, STEP_ALL,
					of->f.before + of->f.after);

	if (!f)
		return no_memory();
	f->values[ENDS].number = 1;
	f->values[SHARE].number = value_ratio(
		of->f.before + of->f.after,
		of->f.before + of->f.after + of->t->end - of->t->begin);
	f->values[BEFORE].number = of->f.before;
	f->values[AFTER].number = of->f.after;
	f->values[AFTER_FUNCTION].text =
		name_of_step_path(of, of->f.after_path);
	return f->values[AFTER_FUNCTION].text ? 0 : no_memory();
}

static int drift_fact(struct iteration_facts *of)
{
	struct fact *f = iteration_fact(of, of->f.drift_path, STEP_ALL,
					of->f.drift_seconds);

	if (!f)
		return no_memory();
	f->values[DRIFT].number = of->f.drift;
	return 0;
}

static int add_iteration_facts(struct iteration_facts *of)
{
	int err = ends_fact(of);

	for (size_t i = 0; i < of->f.slow_count && !err; i++)
		err = slow_fact(of, &of->f.slow[i]);
	if (of->f.late.times && !err)
		err = late_fact(of);
	if (of->f.drift != 0 && !err)
		err = drift_fact(of);
	return err;
}

static int gather_iterations(struct facts *to, struct fact_source *from)
{
	struct step_times t = { 0 };
	struct iteration_facts of = { .to = to, .from = from, .t = &t };
	int err = step_times_init(&t, from->run);

	if (!err && t.count)
		err = step_findings_init(&of.f, &t, from->paths);
	if (!err && t.count)
		err = add_iteration_facts(&of);
	step_findings_fini(&of.f);
	step_times_fini(&t);
	return err;
}

const struct fact_set fact_set_iterations = {
	.name = "iterations",
	.meaning = "steps of the program that stand out",
	.fields = iteration_fields,
	.field_count = FIELDS,
	.counted = "iterations",
	.waits = true,
	.gather = gather_iterations,
};
