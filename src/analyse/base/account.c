/* SPDX-License-Identifier: BSD-3-Clause */
/* account.c - the system's count of CPU time beside that of the samples. */
#include <math.h>
#include <stdio.h>

#include "analyse/base/account.h"
#include "analyse/base/confidence.h"
#include "analyse/base/phrase.h"
#include "profile/profile.h"

#define ASTRAY 0.05 /* of the system's count of CPU time, worth a note */
#define MUCH   0.2  /* worth a warning */
#define SEEN   0.5  /* of it in samples: functions are judged */
#define CHANCE 3    /* standard errors */

/* What was counted of each program by itself: its children are not in it. */
static struct account account_of_programs(const struct run *run)
{
	struct account a = { .whole = false };

	for (size_t i = 0; i < run->rank_count; i++) {
		const struct run_rank *r = &run->ranks[i];
		uint64_t counted = r->process_cpu_ns;

		a.counted += (double)(counted ? counted : r->cpu_ns) / 1e9;
		a.sampled += (double)r->cpu_ns / 1e9;
	}
	return a;
}

struct account account_of(const struct run *run)
{
	struct account a = { .whole = true };

	for (size_t i = 0; i < run->rank_count; i++) {
		const struct run_rank *r = &run->ranks[i];
		bool seen = r->end != END_UNKNOWN;

		a.counted += (double)r->family.cpu_ns / 1e9;
		a.start += (double)r->family.start_ns / 1e9;
		a.threads += (double)r->threads_missed_ns / 1e9;
		a.unsampled += (double)r->family.unsampled;
		a.failed += (double)r->family.failed;
		*(seen ? &a.sampled : &a.unseen) += (double)r->cpu_ns / 1e9;
	}
	/* Who ignores SIGCHLD has not counted what its children used. */
	if (!(a.counted > 0) || a.sampled > (1 + MUCH) * a.counted)
		return account_of_programs(run);
	return a;
}

bool account_is_enough(const struct run *run)
{
	struct account a = account_of(run);
	uint64_t samples = 0;

	for (size_t i = 0; i < run->rank_count; i++)
		samples += run->ranks[i].samples;
	return samples >= CONFIDENCE_FEW && a.sampled >= SEEN * a.counted;
}

static double time_without_samples(const struct account *a)
{
	return a->counted - a->start - a->sampled - a->threads;
}

/* The sum of weights is itself a sample where processes were drawn by lot. */
static bool is_large_part(const struct account *a, const struct run *run,
			  const struct run_metric *metric)
{
	double samples = metric ? confidence_samples(run, metric) : 0;
	double lost = a->counted - a->sampled;

	return a->whole && samples >= CONFIDENCE_FEW &&
	       lost > MUCH * a->counted &&
	       lost > CHANCE * a->sampled / sqrt(samples);
}

void account_warn(struct report *report, const struct run *run,
		  const struct run_metric *metric)
{
	struct account a = account_of(run);
	double rest = fmax(time_without_samples(&a), 0);
	char counted[32];

	if (is_large_part(&a, run, metric))
		report_line(report,
			    "! Samples hold %.0f %% of the %s of CPU time that "
			    "the system counted: %.0f %% passed while "
			    "processes were started (exec, loader), %.0f %% "
			    "in threads that started and ended between two "
			    "samples, %.0f %% while processes or threads "
			    "ended, or in programs that cannot be measured "
			    "(man copse-run, KNOWN LIMITS).",
			    100 * a.sampled / a.counted,
			    phrase_time(counted, a.counted),
			    100 * a.start / a.counted,
			    100 * a.threads / a.counted,
			    100 * rest / a.counted);
}

static void say_share(struct report *report, const struct account *a)
{
	char start[64] = "", threads[96] = "";

	if (a->counted <= 0 || fabs(a->sampled / a->counted - 1) <= ASTRAY)
		return;
	if (a->start > ASTRAY * a->counted)
		snprintf(start, sizeof(start),
			 "; %.1f %% passed while processes were started",
			 100 * a->start / a->counted);
	if (a->threads > ASTRAY * a->counted)
		snprintf(threads, sizeof(threads),
			 "; %.1f %% passed in threads that started and ended "
			 "between two samples",
			 100 * a->threads / a->counted);
	report_note(report,
		    "Samples hold %.1f %% of the CPU time that the system "
		    "counted%s%s%s.",
		    100 * a->sampled / a->counted,
		    a->whole ? " for the program and what it started" : "",
		    start, threads);
}

void account_say(struct report *report, const struct run *run,
		 const struct run_metric *metric)
{
	struct account a = account_of(run);
	char noun[32];

	if (!is_large_part(&a, run, metric))
		say_share(report, &a);
	if (a.unsampled > 0)
		report_note(report,
			    "%s ended before a sample; in the mean, short "
			    "processes that have one stand for them as well.",
			    phrase_many(noun, a.unsampled, "process"));
}

void account_failed(struct report *report, const struct run *run)
{
	struct account a = account_of(run);
	char noun[32];

	if (a.failed > 0)
		report_note(report,
			    "! %s could not write a profile, and are "
			    "missing (is /dev/shm full?).",
			    phrase_many(noun, a.failed, "process"));
}
