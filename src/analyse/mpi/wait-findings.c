/* SPDX-License-Identifier: BSD-3-Clause */
/* wait-findings.c - sentences on who waited for whom in MPI. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/paths/dominant-path.h"
#include "analyse/io/io-sites.h"
#include "analyse/mpi/mpi-findings.h"
#include "analyse/split/cpu-contention.h"
#include "analyse/mpi/wait-causes.h"
#include "analyse/base/report.h"
#include "analyse/base/phrase.h"
#include "analyse/base/processes.h"
#include "base/err.h"
#include "base/comparison.h"
#include "base/str.h"

#define WORTHWHILE 0.02 /* of all time: worth a sentence */
#define ONE        0.5  /* of a place's waiting: one culprit is named */
#define NEARLY_ALL 0.8  /* several are, when they caused so much of it */
#define CERTAIN    0.05 /* errors below this share need no word */
#define MOST       0.95 /* the victims that are named waited so much of it */
#define HELPED     0.05 /* of a culprit's sleep: the work of others is named */
#define SENTENCES  3
#define MOSTLY     0.5 /* of their time ranks waited for a core */
#define FRAMES     3

/* What one rank caused at a place. */
struct culprit {
	uint32_t rank; /* index into run->ranks */
	double seconds, error;
};

/* Where they were, as a person would say it. */
struct spent {
	struct mainly in;
	bool unsampled;
};

/* All waiting at one call path. */
struct wait_place {
	uint32_t victim; /* path */
	double seconds;
	const struct blame **blames; /* of those that are named, then others */
	size_t blame_count;
	struct culprit *culprits; /* the largest first */
	size_t culprit_count;
	size_t named;       /* 0: one another */
	double said, error; /* what the named ones caused */
	struct spent spent; /* meanwhile, by the named ones */
	bool *is_named;     /* of each of run->ranks */
	uint32_t *ranks;    /* the named ones, by number */
};

static void place_fini(struct wait_place *p)
{
	free(p->blames);
	free(p->culprits);
	free(p->is_named);
	free(p->ranks);
}

/* Room for any place. */
static int place_init(struct wait_place *p, const struct blames *b)
{
	size_t ranks = b->paths->run->rank_count;

	*p = (struct wait_place){
		.blames = calloc(b->count + 1, sizeof(*p->blames)),
		.culprits = calloc(ranks + 1, sizeof(*p->culprits)),
		.is_named = calloc(ranks + 1, sizeof(*p->is_named)),
		.ranks = calloc(ranks + 1, sizeof(*p->ranks)),
	};
	if (p->blames && p->culprits && p->is_named && p->ranks)
		return 0;
	return no_memory();
}

ORDER_BY(by_place_seconds, struct culprit, DESC(seconds) ?: ASC(rank))

/* The place of the i-th blame; false: it was met before. */
static bool place_at(struct wait_place *p, const struct blames *b, size_t i)
{
	size_t ranks = b->paths->run->rank_count;

	for (size_t j = 0; j < i; j++)
		if (b->at[j].victim == b->at[i].victim)
			return false;
	p->victim = b->at[i].victim;
	p->seconds = 0;
	p->blame_count = 0;
	p->spent = (struct spent){ 0 };
	for (uint32_t r = 0; r < ranks; r++)
		p->culprits[r] = (struct culprit){ .rank = r };
	for (size_t j = i; j < b->count; j++) {
		const struct blame *one = &b->at[j];

		if (one->victim != p->victim || one->culprit == WAIT_OTHERS)
			continue;
		p->blames[p->blame_count++] = one;
		p->seconds += one->seconds;
		p->culprits[one->culprit].seconds += one->seconds;
		p->culprits[one->culprit].error =
			hypot(p->culprits[one->culprit].error, one->error);
	}
	qsort(p->culprits, ranks, sizeof(*p->culprits), by_place_seconds);
	p->culprit_count = 0;
	while (p->culprit_count < ranks &&
	       p->culprits[p->culprit_count].seconds > 0)
		p->culprit_count++;
	return p->blame_count;
}

/* Blames of those who are named come first; all, when nobody is. */
static void sort_blames(struct wait_place *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->blame_count && p->named; i++)
		if (p->is_named[p->blames[i]->culprit])
			p->blames[kept++] = p->blames[i];
	if (p->named)
		p->blame_count = kept;
}

/* One culprit, or those few that caused nearly all; none: one another. */
static void name_culprits(struct wait_place *p, size_t ranks)
{
	double wanted = NEARLY_ALL * p->seconds;

	if (p->culprits[0].seconds >= ONE * p->seconds)
		wanted = p->culprits[0].seconds;
	memset(p->is_named, 0, ranks * sizeof(*p->is_named));
	p->named = 0;
	p->said = p->error = 0;
	while (p->said < wanted && p->named < p->culprit_count) {
		const struct culprit *next = &p->culprits[p->named];

		p->said += next->seconds;
		p->error = hypot(p->error, next->error);
		p->is_named[next->rank] = true;
		p->ranks[p->named++] = next->rank;
	}
	if (p->named > 1 && 2 * p->named > ranks) {
		p->named = 0;
		p->said = p->seconds;
	}
	sort_blames(p);
}

/* Seconds of the named culprits by path, of one kind of rows; their sum. */
static double by_path(const struct blames *b, const struct wait_place *p,
		      bool helpers, bool unsampled, double *to)
{
	double sum = 0;

	memset(to, 0, b->paths->count * sizeof(*to));
	for (size_t i = 0; i < p->blame_count; i++) {
		const struct blame *of = p->blames[i];

		for (size_t r = 0; r < of->rows + of->helpers; r++) {
			const struct blame_row *row =
				&b->rows[of->first_row + r];

			if (row->helpers != helpers ||
			    row->unsampled != unsampled)
				continue;
			to[row->context] += row->seconds;
			sum += row->seconds;
		}
	}
	return sum;
}

/* Of the named culprits, or their helpers; 0 or -ENOMEM. */
static int spent_of(struct spent *to, const struct blames *b,
		    const struct wait_place *p, bool helpers)
{
	double *own = calloc(b->paths->count + 1, sizeof(*own)), slept;
	int err;

	*to = (struct spent){ 0 };
	if (!own)
		return no_memory();
	slept = by_path(b, p, helpers, true, own);
	to->unsampled = slept > by_path(b, p, helpers, false, own);
	if (to->unsampled)
		by_path(b, p, helpers, true, own);
	err = dominant_in(&to->in, b->paths, own, p->victim);
	free(own);
	return err;
}

/*
 * "; its other threads were in solve": what one that is not sampled may have
 * waited for; to be freed, NULL: out of memory.
 */
static char *helpers_text(const struct blames *b, const struct wait_place *p,
			  const struct spent *of)
{
	struct spent most;
	char *path, *text;

	if (spent_of(&most, b, p, true))
		return NULL;
	if (!most.in.path || most.in.seconds < HELPED * of->in.seconds)
		return strdup("");
	path = paths_short_mostly(b->paths, most.in.path, FRAMES,
				  most.in.mostly);
	text = path ? str_format("; %s other threads were most often in %s",
				 p->named == 1 ? "its" : "their", path)
		    : NULL;
	free(path);
	return text;
}

/*
 * Those who made others wait lacked a core: what they did says nothing then,
 * and that they did is told elsewhere.
 */
static bool lacked_cores(const struct wait_place *p, const struct run *run)
{
	double waited = 0, count = 0;

	if (p->named && !p->spent.unsampled)
		return false;
	for (size_t i = 0; i < p->culprit_count; i++) {
		const struct culprit *c = &p->culprits[i];

		if (p->named && !p->is_named[c->rank])
			continue;
		waited += contention_of_rank(&run->ranks[c->rank]);
		count++;
	}
	return waited > MOSTLY * count;
}

/* "while it was most often in", of most of the time; `to` holds 64 bytes. */
static const char *how_often(char *to, size_t named, double share,
			     const char *was)
{
	const char *who = named == 1 ? "it" : "these";

	if (share >= MAINLY)
		snprintf(to, 64, "while %s %s in", who, was);
	else if (share >= MAINLY_HALF)
		snprintf(to, 64, "while %s %s most often in", who, was);
	else
		snprintf(to, 64, "%.0f %% of it while %s %s in", 100 * share,
			 who, was);
	return to;
}

/* ", while it was in assemble ← solve"; to be freed, NULL: out of memory. */
static char *meanwhile_culprit(const struct blames *b,
			       const struct wait_place *p)
{
	const struct spent *spent = &p->spent;
	const char *was = spent->unsampled ? "slept or lacked a core,"
			  : p->named == 1  ? "was"
					   : "were";
	char *path, *others, *file, *text = NULL, often[64];

	if (!spent->in.path)
		return strdup("");
	path = paths_short_mostly(b->paths, spent->in.path, FRAMES,
				  spent->in.mostly);
	file = io_files_below(b->paths, spent->in.path);
	others = spent->unsampled ? helpers_text(b, p, spent) : strdup("");
	how_often(often, p->named, spent->in.seconds / p->said, was);
	if (path && others && file)
		text = str_format(", %s %s%s%s%s", often, path,
				  spent->unsampled ? " (not sampled)" : "",
				  file, others);
	free(path);
	free(file);
	free(others);
	return text;
}

ORDER_BY(by_culprit_rank, uint32_t, ORDER(*a, *b))

/* "rank 63", "ranks 1, 3", "one another"; to be freed. */
static char *culprits_text(const struct blames *b, const struct wait_place *p)
{
	char *list, *text;

	if (!p->named)
		return str_format("one another");
	qsort(p->ranks, p->named, sizeof(*p->ranks), by_culprit_rank);
	list = processes_list(b->paths->run, p->ranks, p->named);
	text = list ? str_format("rank%s %s", p->named == 1 ? "" : "s", list)
		    : NULL;
	free(list);
	return text;
}

/* The ranks that waited for those who are named, or "The ranks". */
static char *victims_text(const struct blames *b, const struct wait_place *p)
{
	size_t count;
	char *list, *text;

	if (!p->named)
		return strdup("The ranks");
	list = wait_blames_victims(b, p->blames, p->blame_count, MOST, &count);
	text = list ? str_format("Rank%s %s", count == 1 ? "" : "s", list)
		    : NULL;
	free(list);
	return text;
}

/* `said`: what the sentences are on, this one among them. */
static void say_wait(struct report *report, const struct blames *b,
		     struct wait_place *p, const uint32_t *said, size_t count)
{
	char *who = victims_text(b, p), *whom = culprits_text(b, p);
	char *where = paths_apart(b->paths, p->victim, FRAMES, said, count);
	char *why = meanwhile_culprit(b, p);
	char time[32], margin[32], plus[48] = "";

	if (p->error > CERTAIN * p->said)
		snprintf(plus, sizeof(plus), " ± %s",
			 phrase_time(margin, p->error));
	if (who && whom && where && why)
		report_line(report,
			    "• %s waited %s%s (%.0f %% of all time) for %s in "
			    "%s%s.",
			    who, phrase_time(time, p->said), plus,
			    100 * p->said / b->run_seconds, whom, where, why);
	else
		report->failed = true;
	free(who);
	free(whom);
	free(where);
	free(why);
}

/* 1: the i-th blame begins a place that is worth a sentence; 0: or not. */
static int look_at_blame(struct wait_place *p, const struct blames *b, size_t i)
{
	int err;

	if (!place_at(p, b, i))
		return 0;
	name_culprits(p, b->paths->run->rank_count);
	/* Beyond what sampling and clocks may have made of nothing. */
	if (p->said - p->error < WORTHWHILE * b->run_seconds)
		return 0;
	err = p->named ? spent_of(&p->spent, b, p, false) : 0;
	return err ? err : 1;
}

/* The first of them; -ENOMEM. */
static int find_places(struct wait_place *places, const struct blames *b,
		       size_t *count)
{
	for (size_t i = 0; i < b->count && *count < SENTENCES; i++) {
		int worth;

		/* The largest of a place is a good part of it. */
		if (b->at[i].seconds * (double)b->count <
		    WORTHWHILE * b->run_seconds)
			break;
		worth = look_at_blame(&places[*count], b, i);
		if (worth < 0)
			return worth;
		if (worth && !lacked_cores(&places[*count], b->paths->run))
			++*count;
	}
	return 0;
}

int findings_waits(struct report *report, const struct blames *b)
{
	struct wait_place places[SENTENCES] = { 0 };
	uint32_t victims[SENTENCES];
	size_t count = 0;
	int err = 0;

	for (size_t i = 0; i < SENTENCES && !err; i++)
		err = place_init(&places[i], b);
	if (!err)
		err = find_places(places, b, &count);
	for (size_t i = 0; i < count; i++)
		victims[i] = places[i].victim;
	for (size_t i = 0; i < count && !err; i++)
		say_wait(report, b, &places[i], victims, count);
	for (size_t i = 0; i < SENTENCES; i++)
		place_fini(&places[i]);
	return err;
}

static void note_unmatched(struct report *report, const struct run_joined *j)
{
	if (j->lacking)
		report_note(report,
			    "%" PRIu64
			    " collective calls and messages were not matched: "
			    "a rank's event record is missing.",
			    j->lacking);
	if (j->disagreeing)
		report_note(report,
			    "%" PRIu64
			    " collective calls and messages were not matched: "
			    "their event records disagree.",
			    j->disagreeing);
}

void findings_joined(struct report *report, const struct run *run)
{
	const struct run_joined *j = &run->waits.joined;
	char time[32];

	if (!j->parts) {
		if (run->world > 1)
			report_line(report,
				    "No wait states were recorded: no "
				    "collective call or message between ranks "
				    "was seen.");
		return;
	}
	if (j->level)
		report_note(report,
			    "One in %.0f collective calls and messages was "
			    "kept, %" PRIu64
			    " in all; ± is the 95 %% confidence interval.",
			    ldexp(1, (int)j->level), j->instances);
	note_unmatched(report, j);
	if (j->clocks > 1)
		report_note(report,
			    "%" PRIu32 " clocks were aligned to within %s; "
			    "shorter waits are left out.",
			    j->clocks,
			    phrase_time(time, j->clock_error_ns / 1e9));
	if (j->unbound)
		report_note(report,
			    "%" PRIu32 " of them could be aligned by date "
			    "only.",
			    j->unbound);
	if (j->other_causes > 0)
		report_note(report, "%.0f small causes are one row.",
			    j->other_causes);
}
