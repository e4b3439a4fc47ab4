/* SPDX-License-Identifier: BSD-3-Clause */
/* diagnosis.c - each rule is asked of each fact that it is about. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/account.h"
#include "analyse/base/confidence.h"
#include "analyse/diagnose/diagnosis.h"
#include "analyse/base/elapsed.h"
#include "analyse/mpi/wait-causes.h"
#include "analyse/paths/paths.h"
#include "analyse/base/report.h"
#include "analyse/base/phrase.h"
#include "analyse/base/value.h"
#include "base/array.h"
#include "base/comparison.h"
#include "base/err.h"

#define SMALL  0.03 /* of the run: not said */
#define LOST   0.05 /* of all ranks' time */
#define MEDIUM 0.10
#define HIGH   0.30

/* Fewer say nothing of how a program spends its time. */
#define LEAST_SAMPLES 20
#define LEAST_COUNTED 10

const char *const severity_names[] = {
	[SEVERITY_LOW] = "low",
	[SEVERITY_MEDIUM] = "medium",
	[SEVERITY_HIGH] = "high",
};

static int load_rules(struct diagnosis *d, const char *only)
{
	char **names = diagnosis_rule_names(&diagnosis_rules);
	size_t count = 0;
	int err = names ? 0 : no_memory();

	while (names && names[count])
		count++;
	d->rules = calloc(count + 1, sizeof(struct diagnosis_rule *));
	if (!d->rules)
		err = no_memory();
	for (size_t i = 0; i < count && !err; i++) {
		if (only && strcmp(only, names[i]) != 0)
			continue;
		err = diagnosis_rule_load(&d->rules[d->rule_count],
					  &diagnosis_rules, names[i]);
		if (!err) {
			d->rule_count++;
		} else if (err == -EINVAL && !only) {
			free(d->problem);
			d->problem = strdup(fail_reason());
			err = 0;
		}
	}
	free(names);
	if (!err && only && !d->rule_count)
		return fail(-EINVAL,
			    "no rule is called '%s': copse report diagnose "
			    "--help lists them",
			    only);
	return err;
}

/* The number or the text of a field that some sets have. */
static double optional_number(const struct fact_set *set,
			      const struct fact *fact, const char *name)
{
	int field = fact_field_find(set, name, strlen(name));

	return field < 0 ? 0 : fact->values[field].number;
}

static char *optional_text(const struct fact_set *set, const struct fact *fact,
			   const char *name)
{
	int field = fact_field_find(set, name, strlen(name));
	const char *text = field < 0 ? NULL : fact->values[field].text;

	return text ? strdup(text) : NULL;
}

static void finding_fini(struct diagnosis_finding *f)
{
	free(f->ranks);
	free(f->rows);
	free(f->text);
}

/* What only asks does not wait. */
static double likely_gain(const struct diagnosis *d,
			  const struct diagnosis_finding *f,
			  const struct fact *fact)
{
	bool asks = optional_number(f->rule->about, fact, "poll") > 0;
	bool unsure =
		f->rule->about->waits && !asks && d->crowded > FACTS_CROWDED;

	return unsure ? f->most * sqrt(1 - d->crowded) : f->most;
}

/*
 * What a rule may claim: no more than there was of its cause, nor than the run
 * took, nor than all its CPU time where that is what the cause is of.
 */
static int bounded_gain(const struct diagnosis *d,
			const struct diagnosis_rule *rule,
			const struct fact *fact, double *gain)
{
	double cause = 0;
	int err = diagnosis_rule_gain(rule, fact, gain);

	if (!err)
		err = diagnosis_rule_cause(rule, fact, &cause);
	*gain = fmin(fmin(*gain, cause), d->elapsed);
	if (rule->about->sampled)
		*gain = fmin(*gain, d->cpu);
	return err;
}

/*
 * Whether it was seen so often that a rule may speak of it; a cause, and what a
 * remark is on, in samples.
 */
static int is_seen_enough(const struct diagnosis *d,
			  const struct diagnosis_rule *rule,
			  const struct fact *fact, bool *enough)
{
	const char *counted = rule->about->counted;
	double cause = optional_number(rule->about, fact, "seconds");
	int err = rule->gain ? diagnosis_rule_cause(rule, fact, &cause) : 0;

	*enough = true;
	if (counted)
		*enough = optional_number(rule->about, fact, counted) >=
			  LEAST_COUNTED;
	if (rule->about->sampled)
		*enough &= cause * d->samples_each >= LEAST_SAMPLES;
	return err;
}

static int add_finding(struct diagnosis *d, struct diagnosis_finding *f,
		       const struct fact *fact)
{
	bool severe = false;
	int err = bounded_gain(d, f->rule, fact, &f->most);
	double share;

	f->gain = likely_gain(d, f, fact);
	share = value_ratio(f->gain, d->elapsed);
	if (!err)
		err = diagnosis_rule_is_severe(f->rule, fact, &severe);
	f->severity = severe || share > HIGH ? SEVERITY_HIGH
		      : share > MEDIUM       ? SEVERITY_MEDIUM
					     : SEVERITY_LOW;
	if (!err && !array_append(&d->at, &d->count, &d->room, sizeof(*f), f))
		err = -ENOMEM;
	return err;
}

/* Of a rule's remarks the one on most stays. */
static int add_remark(struct diagnosis *d, const struct diagnosis_finding *f)
{
	for (size_t i = 0; i < d->remark_count; i++) {
		struct diagnosis_finding *other = &d->remarks[i], less = *f;

		if (other->rule != f->rule)
			continue;
		if (f->cost > other->cost) {
			less = *other;
			*other = *f;
		}
		finding_fini(&less);
		return 0;
	}
	return array_append(&d->remarks, &d->remark_count, &d->remark_room,
			    sizeof(*f), f)
		       ? 0
		       : -ENOMEM;
}

static int add_by_rule(struct diagnosis *d, const struct diagnosis_rule *rule,
		       const struct fact *fact)
{
	struct diagnosis_finding f = {
		.rule = rule,
		.path = fact->path,
		.cost = optional_number(rule->about, fact, "seconds"),
		.ranks = optional_text(rule->about, fact, "ranks"),
		.rows = fact->rows ? strdup(fact->rows) : NULL,
		.text = diagnosis_rule_say(rule, fact),
	};
	int err;

	if (!f.text)
		err = no_memory();
	else
		err = rule->gain ? add_finding(d, &f, fact) : add_remark(d, &f);
	if (err)
		finding_fini(&f);
	return err;
}

/* Would it hold if all had had a core?  Rules on MPI have their own. */
static int holds_with_cores(const struct diagnosis_rule *rule,
			    const struct fact *fact, bool *holds)
{
	int crowded = fact_field_find(rule->about, "crowded", 7);
	struct fact other = *fact;

	*holds = false;
	if (rule->about->waits || !rule->gain || crowded < 0 ||
	    other.values[crowded].number <= 0)
		return 0;
	other.values[crowded].number = 0;
	return diagnosis_rule_holds(rule, &other, holds);
}

/* Of these the one that gains most stays. */
static int keep_doubtful(struct diagnosis *d, const struct diagnosis_rule *rule,
			 const struct fact *fact)
{
	struct diagnosis_finding f = { .rule = rule, .path = fact->path };
	bool holds;
	int err = holds_with_cores(rule, fact, &holds);

	if (!err && holds)
		err = bounded_gain(d, rule, fact, &f.gain);
	if (err || f.gain < SMALL * d->elapsed || f.gain <= d->doubtful.gain)
		return err;
	f.text = diagnosis_rule_say(rule, fact);
	if (!f.text)
		return no_memory();
	finding_fini(&d->doubtful);
	d->doubtful = f;
	return 0;
}

static int ask_rules(struct diagnosis *d, const struct fact_set *set,
		     const struct facts *facts)
{
	int err = 0;

	for (size_t r = 0; r < d->rule_count && !err; r++)
		for (size_t i = 0; i < facts->count && !err; i++) {
			bool holds = false, enough = false;

			if (d->rules[r]->about != set)
				break;
			err = is_seen_enough(d, d->rules[r], &facts->at[i],
					     &enough);
			if (!err && enough)
				err = diagnosis_rule_holds(
					d->rules[r], &facts->at[i], &holds);
			if (!err && enough)
				err = (holds ? add_by_rule : keep_doubtful)(
					d, d->rules[r], &facts->at[i]);
		}
	return err;
}

static int gather_findings(struct diagnosis *d, struct fact_source *from)
{
	bool samples = account_is_enough(from->run);
	int err = 0;

	for (size_t i = 0; fact_sets[i] && !err; i++) {
		struct facts facts = { 0 };

		if (fact_sets[i]->sampled && !samples)
			continue;
		err = fact_sets[i]->gather(&facts, from);
		if (!err)
			err = ask_rules(d, fact_sets[i], &facts);
		facts_fini(&facts);
	}
	return err;
}

static int by_gain(const void *x, const void *y)
{
	const struct diagnosis_finding *a = x, *b = y;

	if (a->gain != b->gain)
		return a->gain < b->gain ? 1 : -1;
	return ORDER(a->path, b->path);
}

/*
 * Of CPU time, as it was sampled: an estimate, which may be a little more than
 * the cores had.
 */
static int share_cores(struct diagnosis *d, const struct fact_source *from)
{
	double seconds = fmax(d->elapsed * from->cores, from->sampled);
	double outside = 0, mpi;

	if (!from->metric || strcmp(from->metric->name, "cpu.time") != 0)
		return 0;
	mpi = mpi_time_cpu(from->run);
	if (mpi < 0)
		return no_memory();
	for (size_t i = 0; i < from->skews.process_count; i++)
		outside += from->skews.outside[i];
	d->program_share = value_ratio(outside, seconds);
	d->mpi_share = value_ratio(mpi, seconds);
	d->threads_share = value_ratio(from->sampled - outside - mpi, seconds);
	return 0;
}

/*
 * On crowded cores little is to be gained by mending what makes others wait:
 * these leave their cores to those that work.  The cause stays.
 */
static bool finding_is_small(const struct diagnosis *d,
			     const struct diagnosis_finding *f)
{
	bool crowded = d->crowded > FACTS_CROWDED && f->rule->about->waits;

	return f->gain < SMALL * d->elapsed &&
	       !(crowded && f->cost >= LOST * d->seconds);
}

static void leave_small(struct diagnosis *d)
{
	size_t kept = 0;

	for (size_t i = 0; i < d->count; i++)
		if (finding_is_small(d, &d->at[i]))
			finding_fini(&d->at[i]);
		else
			d->at[kept++] = d->at[i];
	d->count = kept;
}

static void know_samples(struct diagnosis *d, const struct fact_source *from)
{
	d->cpu = fmax(from->sampled, account_of(from->run).counted);
	if (from->metric)
		d->samples_each =
			value_ratio(confidence_samples(from->run, from->metric),
				    from->sampled);
}

int diagnosis_init(struct diagnosis *to, const struct paths *paths,
		   const struct blames *blames, const struct run_metric *metric,
		   const char *rule)
{
	struct fact_source from = { 0 };
	int err;

	*to = (struct diagnosis){ 0 };
	err = load_rules(to, rule);
	if (!err)
		err = fact_source_init(&from, paths, blames, metric);
	if (!err)
		err = elapsed_of(&to->elapsed, from.run);
	to->crowded = from.crowded;
	to->seconds = from.seconds;
	to->mpi = from.e.ranks;
	if (!err) {
		know_samples(to, &from);
		err = share_cores(to, &from);
	}
	if (!err)
		err = gather_findings(to, &from);
	fact_source_fini(&from);
	if (err) {
		diagnosis_fini(to);
		return err;
	}
	if (to->count)
		qsort(to->at, to->count, sizeof(*to->at), by_gain);
	leave_small(to);
	return 0;
}

void diagnosis_fini(struct diagnosis *d)
{
	for (size_t i = 0; i < d->count; i++)
		finding_fini(&d->at[i]);
	for (size_t i = 0; i < d->remark_count; i++)
		finding_fini(&d->remarks[i]);
	for (size_t i = 0; i < d->rule_count; i++)
		diagnosis_rule_free(d->rules[i]);
	finding_fini(&d->doubtful);
	free(d->at);
	free(d->remarks);
	free(d->problem);
	free(d->rules);
	*d = (struct diagnosis){ 0 };
}

void diagnosis_say_cores(struct report *report, const struct diagnosis *d)
{
	char threads[48] = "";

	if (d->crowded <= FACTS_CROWDED || !d->mpi)
		return;
	if (d->threads_share >= 0.005)
		snprintf(threads, sizeof(threads),
			 ", %.0f %% in threads that waited",
			 100 * d->threads_share);
	if (d->program_share > 0 && d->mpi_share > 0)
		report_line(report,
			    "  The cores spent %.0f %% of the time in the "
			    "program, %.0f %% in MPI%s; waits below include "
			    "waiting for a core.",
			    100 * d->program_share, 100 * d->mpi_share,
			    threads);
	else
		report_line(report,
			    "  Waits below include waiting for a core.");
}

/* Where one rank is the question: what it did. */
static void offer_rank(struct report *report, const char *ranks)
{
	static const char one[] = "rank ";
	size_t size = strlen(one);

	if (ranks && !strncmp(ranks, one, size) &&
	    strspn(ranks + size, "0123456789") == strlen(ranks + size))
		report_note(report,
			    "What %s did: copse report tree --%s APP.copse",
			    ranks, ranks);
}

static void say_doubtful(struct report *report, const struct diagnosis *of)
{
	const struct diagnosis_finding *f = &of->doubtful;
	char gain[32];

	if (f->text)
		report_line(report,
			    "– %s. To gain: up to %s, %.0f %%, unless that was "
			    "for want of cores: run with a core for each "
			    "thread to know.",
			    f->text, phrase_time(gain, f->gain),
			    100 * value_ratio(f->gain, of->elapsed));
}

void diagnosis_say_finding(struct report *report, const struct diagnosis *of,
			   const struct diagnosis_finding *f)
{
	char gain[32];

	report_line(report, "• %s. To gain: %s %s, %.0f %%. %s", f->text,
		    f->most > f->gain ? "about" : "up to",
		    phrase_time(gain, f->gain),
		    100 * value_ratio(f->gain, of->elapsed), f->rule->advice);
}

void diagnosis_say_rest(struct report *report, const struct diagnosis *of)
{
	/* Something has to be mended before other remarks on time. */
	bool first = of->count && of->at[0].severity >= SEVERITY_MEDIUM;

	if (of->count)
		offer_rank(report, of->at[0].ranks);
	else
		say_doubtful(report, of);
	if (of->problem)
		report_note(report, "! A rule was left out: %s.", of->problem);
	for (size_t i = 0; i < of->remark_count; i++)
		if (!first || of->remarks[i].rule->about->no_time)
			report_line(report, "– %s. %s", of->remarks[i].text,
				    of->remarks[i].rule->advice);
}

void diagnosis_say(struct report *report, const struct diagnosis *of,
		   size_t most)
{
	for (size_t i = 0; i < of->count && i < most; i++)
		diagnosis_say_finding(report, of, &of->at[i]);
	if (of->count > most)
		report_line(report, "• %zu more: copse report diagnose.",
			    of->count - most);
	diagnosis_say_rest(report, of);
}
