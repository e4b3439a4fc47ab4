/* SPDX-License-Identifier: BSD-3-Clause */
/* waited.c - sentences on who waited for whom in MPI. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyse/findings.h"
#include "analyse/value.h"
#include "base/err.h"
#include "base/str.h"

#define WORTHWHILE 0.02 /* of all time: worth a sentence */
#define ONE        0.5  /* of a place's waiting: one culprit is named */
#define NEARLY_ALL 0.8  /* several are, when they caused so much of it */
#define MAINLY     0.75 /* of its time a culprit was there */
#define CERTAIN    0.05 /* errors below this share need no word */
#define SENTENCES  3
#define FRAMES     3

/* All blames of one kind at one call path. */
struct place {
	uint32_t kind, victim;
	double seconds, error;
	size_t culprits;
	const struct blame **blames; /* the largest first */
	uint32_t *ranks;             /* the culprits that are named */
	size_t named;
	double said; /* seconds that these caused */
};

static bool same_place(const struct blame *a, const struct blame *b)
{
	return a->kind == b->kind && a->victim == b->victim;
}

/* The place of the i-th blame, which is its largest; false: a later one. */
static bool place_init(struct place *p, const struct blames *b, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (same_place(&b->at[j], &b->at[i]))
			return false;
	p->kind = b->at[i].kind;
	p->victim = b->at[i].victim;
	p->seconds = p->error = p->said = 0;
	p->culprits = p->named = 0;
	for (size_t j = i; j < b->count; j++) {
		if (!same_place(&b->at[j], &b->at[i]) ||
		    b->at[j].culprit == WAIT_OTHERS)
			continue;
		p->blames[p->culprits++] = &b->at[j];
		p->seconds += b->at[j].seconds;
		p->error = hypot(p->error, b->at[j].error);
	}
	return p->culprits;
}

/* One culprit, or those few that caused nearly all; none: one another. */
static void name_culprits(struct place *p, size_t ranks)
{
	double wanted = NEARLY_ALL * p->seconds;

	if (p->blames[0]->seconds >= ONE * p->seconds)
		wanted = p->blames[0]->seconds;
	while (p->said < wanted && p->named < p->culprits) {
		const struct blame *next = p->blames[p->named];

		p->said += next->seconds;
		p->ranks[p->named++] = next->culprit;
	}
	if (p->named > 1 && 2 * p->named > ranks) {
		p->named = 0;
		p->said = p->seconds;
	}
}

/* Where the named culprits were most of that time; `share` of it. */
static const struct blame_row *main_row(const struct blames *b,
					const struct place *p, double *share)
{
	const struct blame_row *best = NULL;
	double most = 0;

	for (size_t c = 0; c < p->named; c++) {
		const struct blame *of = p->blames[c];
		const struct blame_row *row = &b->rows[of->first_row];
		double sum = 0;

		if (!of->rows)
			continue;
		for (size_t i = 0; i < b->row_count; i++)
			for (size_t d = 0; d < p->named; d++)
				if (&b->at[b->rows[i].blame] == p->blames[d] &&
				    b->rows[i].context == row->context &&
				    b->rows[i].unsampled == row->unsampled)
					sum += b->rows[i].seconds;
		if (sum > most) {
			most = sum;
			best = row;
		}
		if (c > 16) /* enough to know */
			break;
	}
	*share = value_ratio(most, p->said);
	return best;
}

/* ", while it was in assemble ← solve"; to be freed, NULL: out of memory. */
static char *meanwhile(const struct blames *b, const struct place *p)
{
	double share;
	const struct blame_row *row = main_row(b, p, &share);
	const char *who = p->named == 1 ? "it was" : "these were";
	char *path, *text;

	if (!row)
		return str_format("%s", "");
	path = paths_short(b->paths, row->context, FRAMES);
	if (!path)
		return NULL;
	text = str_format(", while %s %sin %s%s", who,
			  share < MAINLY ? "most often " : "", path,
			  row->unsampled ? " (not sampled)" : "");
	free(path);
	return text;
}

static int by_number(const void *x, const void *y)
{
	const uint32_t *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

/* "rank 63", "ranks 1, 3", "one another"; to be freed. */
static char *culprits(const struct blames *b, const struct place *p)
{
	char *list, *text;

	if (!p->named)
		return str_format("one another");
	qsort(p->ranks, p->named, sizeof(*p->ranks), by_number);
	list = value_list(b->paths->run, p->ranks, p->named);
	text = list ? str_format("rank%s %s", p->named == 1 ? "" : "s", list)
		    : NULL;
	free(list);
	return text;
}

/* The ranks that waited for the one that is named, or "The ranks". */
static char *victims(const struct blames *b, const struct place *p)
{
	char *list, *text;

	if (p->named != 1)
		return str_format("The ranks");
	list = blames_victims(b, p->blames[0], 0.95);
	text = list ? str_format("Rank%s %s",
				 p->blames[0]->victims == 1 ? "" : "s", list)
		    : NULL;
	free(list);
	return text;
}

static void sentence(struct report *report, const struct blames *b,
		     struct place *p)
{
	char *who = victims(b, p), *whom = culprits(b, p);
	char *where = paths_short(b->paths, p->victim, FRAMES);
	char *why = meanwhile(b, p);
	double error = p->named == 1 ? p->blames[0]->error : p->error;
	char time[32], margin[32], plus[48] = "";

	if (error > CERTAIN * p->said)
		snprintf(plus, sizeof(plus), " ± %s",
			 value_time(margin, error));
	if (who && whom && where && why)
		report_line(report,
			    "• %s waited %s%s (%.0f %% of all time) for %s in "
			    "%s%s.",
			    who, value_time(time, p->said), plus,
			    100 * p->said / b->run_seconds, whom, where, why);
	else
		report->failed = true;
	free(who);
	free(whom);
	free(where);
	free(why);
}

/* Beyond what sampling, clocks and chance may have made. */
static bool is_worthwhile(const struct place *p, const struct blames *b)
{
	double error = p->named == 1 ? p->blames[0]->error : p->error;

	return p->said - error >= WORTHWHILE * b->run_seconds;
}

int findings_waits(struct report *report, const struct blames *b, size_t *said)
{
	struct place p = { 0 };
	size_t lines = 0;

	p.blames = calloc(b->count + 1, sizeof(*p.blames));
	p.ranks = calloc(b->count + 1, sizeof(*p.ranks));
	for (size_t i = 0; p.blames && p.ranks && i < b->count; i++) {
		/* The largest of a place is a good part of it. */
		if (lines == SENTENCES || b->at[i].seconds * (double)b->count <
						  WORTHWHILE * b->run_seconds)
			break;
		if (!place_init(&p, b, i))
			continue;
		name_culprits(&p, b->paths->run->member_count);
		if (!is_worthwhile(&p, b))
			continue;
		sentence(report, b, &p);
		lines++;
	}
	if (said)
		*said = lines;
	free(p.blames);
	free(p.ranks);
	return p.blames && p.ranks ? 0 : fail(-ENOMEM, "out of memory");
}

static void lost(struct report *report, const struct run_joined *j)
{
	if (j->lacking)
		report_note(report,
			    "%" PRIu64 " collective calls and messages were "
			    "not joined: a rank's part is missing.",
			    j->lacking);
	if (j->disagreeing)
		report_note(report,
			    "%" PRIu64 " collective calls and messages were "
			    "not joined: their parts disagree.",
			    j->disagreeing);
}

void findings_joined(struct report *report, const struct run *run)
{
	const struct run_joined *j = &run->waits.joined;
	char time[32];

	if (!j->parts) {
		report_line(report, "No wait states were recorded.");
		return;
	}
	if (j->level)
		report_note(report,
			    "One of %.0f collective calls and messages was "
			    "kept, %" PRIu64 " in all; ± holds with 95 %% "
			    "confidence.",
			    ldexp(1, (int)j->level), j->instances);
	lost(report, j);
	if (j->clocks > 1)
		report_note(report,
			    "%" PRIu32 " clocks were aligned; they are right "
			    "within %s, and shorter waits are left out.",
			    j->clocks,
			    value_time(time, j->clock_error_ns / 1e9));
	if (j->unbound)
		report_note(report,
			    "%" PRIu32 " of them could be aligned by date "
			    "only.",
			    j->unbound);
	if (j->other_causes > 0)
		report_note(report, "%.0f small causes are not told apart.",
			    j->other_causes);
}
