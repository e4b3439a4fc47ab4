/* SPDX-License-Identifier: BSD-3-Clause */
/* split-sentences.c - each part is said, whatever rules know of it. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/io/io-sites.h"
#include "analyse/paths/dominant-path.h"
#include "analyse/mpi/mpi-findings.h"
#include "analyse/split/cpu-contention.h"
#include "analyse/mpi/wait-causes.h"
#include "analyse/paths/paths.h"
#include "analyse/base/report.h"
#include "analyse/paths/function-callers.h"
#include "analyse/threads/thread-waits.h"
#include "analyse/paths/library-use.h"
#include "analyse/mpi/efficiency.h"
#include "analyse/paths/own-paths.h"
#include "analyse/base/phrase.h"
#include "analyse/base/processes.h"
#include "analyse/summary/summary-sentences.h"
#include "analyse/base/value.h"
#include "base/err.h"
#include "base/str.h"

#define WORTH    0.05  /* of the whole: a part is worth a sentence */
#define SHOWN    0.005 /* the same: it is in the line of all parts */
#define MOST     0.5   /* of the time with a core is work: what kind of */
#define LONE     0.15  /* of all waiting was for one rank, and … */
#define TWICE    2     /* … so many times that for any other */
#define UNEVEN   1.25  /* the most of a rank, of the mean, … */
#define MATTERS  0.02  /* … and so much more of a rank's time */
#define EXPLAINS 0.33  /* of a part: a finding is its cause */
#define MORE     1.05  /* of a path's: then the function is named */
#define FAIR     0.2   /* of a path's waiting: one function of MPI */
#define KIND     0.1   /* of the work: worth a word */
#define SEEN     0.005 /* seconds: some samples */
#define CROWDED  0.1   /* who had no core is said before */

enum {
	SENTENCES = 5,
	OF_A_PART = 2, /* findings */
	FRAMES = 3
};

struct saying {
	struct report *report;
	const struct time_split *split;
	const struct blames *blames;
	const struct paths *paths;
	const struct diagnosis *diagnosis;
	bool is_said[SPLIT_PARTS];
	size_t said;
};

struct part_size {
	enum split_part part;
	double seconds;
};

static int by_part_size(const void *x, const void *y)
{
	const struct part_size *a = x, *b = y;

	return a->seconds < b->seconds ? 1 : a->seconds > b->seconds ? -1 : 0;
}

/* All of them, the largest first. */
static void sort_parts(struct part_size to[SPLIT_PARTS],
		       const struct time_split *s)
{
	for (size_t i = 0; i < SPLIT_PARTS; i++)
		to[i] = (struct part_size){ i, s->parts[i].seconds };
	qsort(to, SPLIT_PARTS, sizeof(*to), by_part_size);
}

void split_say_shares(struct report *report, const struct time_split *s)
{
	struct part_size sizes[SPLIT_PARTS];
	char *line = NULL, whole[32];
	size_t size, said = 0;
	FILE *to = open_memstream(&line, &size);

	sort_parts(sizes, s);
	for (size_t i = 0; to && i < SPLIT_PARTS; i++) {
		double share = value_ratio(sizes[i].seconds, s->whole);

		if (share >= SHOWN)
			fprintf(to, "%s%.0f %% %s", said++ ? ", " : "",
				100 * share, split_names[sizes[i].part].title);
	}
	if (to && !fclose(to) && said)
		report_line(report, "Of %s: %s", phrase_time(whole, s->whole),
			    line);
	report->failed |= !to;
	free(line);
}

/*
 * Where a part was, and on which ranks.
 */

static int find_part_place(const struct saying *s, enum split_part part,
			   double *own, double most, struct mainly *in)
{
	time_split_paths(s->split, s->paths, part, own);
	own[0] = 0;
	return dominant_from(in, s->paths, own, 0, most);
}

/* main() says nothing: everything is in it. */
static bool is_outermost_path(const struct paths *paths, uint32_t path)
{
	const struct run *run = paths->run;

	return path &&
	       !strcmp(str_at(&run->strings,
			      run->nodes[paths->at[path].node].function),
		       "main");
}

/*
 * " (41 % of that in MPI_Alltoall)": the function of MPI that a path of another
 * one has most of; to be freed, NULL: out of memory.
 */
static char *mpi_below(const struct paths *paths, uint32_t path,
		       const double *own)
{
	const struct run *run = paths->run;
	uint32_t most = path, end = paths->at[path].end, function;
	double all = 0, same = 0;

	for (uint32_t p = path; p < end; p++) {
		all += own[p];
		if (own[p] > own[most])
			most = p;
	}
	function = run->nodes[paths->at[most].node].function;
	for (uint32_t p = path; p < end; p++)
		if (run->nodes[paths->at[p].node].function == function)
			same += own[p];
	if (most == path || same < FAIR * all ||
	    run->nodes[paths->at[most].node].kind != RUN_MPI)
		return strdup("");
	return str_format(" (%.0f %% of that in %s)", 100 * same / all,
			  str_at(&run->strings, function));
}

/* The path of a part with what it calls of a library or of MPI; the same. */
static char *place_words(const struct saying *s, enum split_part part,
			 const struct mainly *in, double *own)
{
	char *path = paths_short_mostly(s->paths, in->path, FRAMES, in->mostly);
	char *below, *text;

	if (!path || in->mostly)
		return path;
	time_split_paths(s->split, s->paths, part, own);
	below = mpi_below(s->paths, in->path, own);
	text = below ? str_format("%s%s", path, below) : NULL;
	free(below);
	free(path);
	return text;
}

/* The function with what it calls of libraries on its largest path; takes it.
 */
static char *with_callee(const struct saying *s, char *function,
			 const struct mainly *in)
{
	char *own = paths_short(s->paths, in->path, 1);
	char *called =
		in->mostly ? paths_mostly_text(s->paths, in->path, in->mostly)
			   : strdup("");
	char *text = NULL;

	if (own && called && *called && !strncmp(function, own, strlen(own)))
		text = str_format("%s, mostly %s", function, called);
	else if (own && called)
		text = strdup(function);
	free(own);
	free(called);
	free(function);
	return text;
}

/* ", 41 % in cal_read ← response", unless `place` names it; takes that. */
static char *with_part_below(const struct saying *s, enum split_part part,
			     char *place, const struct mainly *below)
{
	double all = s->split->parts[part].seconds;
	char *name = paths_short(s->paths, below->path, 1);
	char *path = paths_short(s->paths, below->path, 2), *text = NULL;

	if (name && path && strstr(place, name))
		text = strdup(place);
	else if (name && path)
		text = str_format("%s, %.0f %% in %s", place,
				  100 * value_ratio(below->seconds, all), path);
	free(name);
	free(path);
	free(place);
	return text;
}

/* The largest of what it calls, where it has not nearly all itself. */
static char *with_largest_below(const struct saying *s, enum split_part part,
				char *place, const struct mainly *in,
				double *own)
{
	struct mainly below = { 0 };

	time_split_paths(s->split, s->paths, part, own);
	if (own[in->path] < MAINLY * in->seconds && !in->mostly &&
	    !find_part_place(s, part, own, MAINLY_FAIR, &below) &&
	    below.path > in->path && below.path < s->paths->at[in->path].end)
		return with_part_below(s, part, place, &below);
	return place;
}

/* ", 86 % of it in MPI_Init ← main"; to be freed, NULL: out of memory. */
static char *part_place(const struct saying *s, enum split_part part)
{
	double *own = calloc(s->paths->count + 1, sizeof(*own));
	double all = s->split->parts[part].seconds;
	char *path = NULL, *text = NULL;
	struct mainly in = { 0 };
	bool summed;
	double share, below;

	if (!own)
		return NULL;
	if (find_part_place(s, part, own, MAINLY_HALF, &in) ||
	    (is_outermost_path(s->paths, in.path) &&
	     find_part_place(s, part, own, MAINLY_FAIR, &in)))
		goto out;
	share = value_ratio(in.seconds, all);
	if (!in.path || share < WORTH) {
		text = strdup("");
		goto out;
	}
	/* A function that several paths call may have more of it. */
	if (function_below(&path, &below, s->paths, 0, own,
			   in.seconds * (own[in.path] < in.seconds / 2 ? MAINLY
								       : MORE)))
		goto out;
	summed = path;
	if (path)
		share = value_ratio(below, all);
	if (path)
		path = with_callee(s, path, &in);
	else
		path = place_words(s, part, &in, own);
	if (path && share < 0.995)
		text = str_format(", %.0f %% of it in %s", 100 * share, path);
	else if (path)
		text = str_format(" in %s", path);
	if (text && part == SPLIT_WORK && summed)
		text = with_part_below(s, part, text, &in);
	else if (text && part == SPLIT_WORK)
		text = with_largest_below(s, part, text, &in, own);
out:
	free(path);
	free(own);
	return text;
}

/* "; most on rank 2, 1.80 s, the mean is 450 ms", or ", alike on all ranks". */
static void part_ranks(char *to, size_t size, const struct saying *s,
		       enum split_part part)
{
	const struct time_split *split = s->split;
	const struct time_part *p = &split->parts[part];
	size_t members = split->run->member_count;
	double each = value_ratio(split->whole, (double)members);
	char most[32], mean[32];

	*to = 0;
	if (members < 2 || !split->run->world)
		return;
	if (p->most > UNEVEN * p->mean && p->most - p->mean > MATTERS * each)
		snprintf(to, size, "; most on rank %llu: %s, the mean is %s",
			 (unsigned long long)processes_number(split->run,
							      p->most_rank),
			 phrase_time(most, p->most),
			 phrase_time(mean, p->mean));
	else
		snprintf(to, size, ", alike on all ranks");
}

/* "; 31 % of it allocating and copying"; `to` holds `size` bytes. */
static int work_kinds(char *to, size_t size, const struct saying *s)
{
	struct library_use *uses = library_uses(s->paths);
	double *own = calloc(s->paths->count + 1, sizeof(*own));
	double sums[LIBRARY_PURPOSES] = { 0 };
	double all = s->split->parts[SPLIT_WORK].seconds;
	size_t at = 0;

	*to = 0;
	if (uses && own) {
		time_split_paths(s->split, s->paths, SPLIT_WORK, own);
		for (size_t p = 1; p < s->paths->count; p++)
			sums[uses[p].purpose] += own[p];
	}
	for (size_t i = LIBRARY_NONE + 1; i < LIBRARY_PURPOSES; i++)
		if (sums[i] >= KIND * all && at < size)
			at += (size_t)snprintf(to + at, size - at,
					       "%s %.0f %% %s", at ? "," : ";",
					       100 * value_ratio(sums[i], all),
					       library_purposes[i]);
	free(own);
	free(uses);
	return uses && own ? 0 : no_memory();
}

/*
 * Who made others wait most: more than all others, or far more than any other,
 * where many that wait for a core are late in turn.  rank_count: nobody.
 */
static size_t find_main_culprit(const struct run *run)
{
	const struct run_waits *w = &run->waits;
	double all = 0, second = 0, first = 0;
	size_t most = 0;

	for (size_t i = 0; i < w->rank_count; i++) {
		double caused = w->ranks[i].caused_ns;

		all += caused;
		second = fmax(second, fmin(first, caused));
		if (caused > first)
			most = i;
		first = fmax(first, caused);
	}
	return all > 0 && (first >= MOST * all ||
			   (first >= LONE * all && first >= TWICE * second))
		       ? most
		       : run->rank_count;
}

/* "; 5.34 s of it for rank 2", who made others wait most; not of two ranks. */
static void main_culprit(char *to, size_t size, const struct saying *s)
{
	const struct run *run = s->split->run;
	size_t most = find_main_culprit(run);
	char seconds[32];

	*to = 0;
	if (most < run->rank_count && run->member_count > 2)
		snprintf(to, size, "; %s of it for rank %llu",
			 phrase_time(seconds,
				     run->waits.ranks[most].caused_ns / 1e9),
			 (unsigned long long)processes_number(run, most));
}

static bool has_threads(const struct run *run)
{
	const struct run_threads *t = &run->threads;

	for (size_t i = 0; i < t->group_count; i++)
		if (t->groups[i].kind == RUN_THREAD_BEGUN)
			return true;
	return false;
}

/* What it may be, where samples do not show it; and what would show it. */
static const char *guess_of_part(const struct saying *s, enum split_part part)
{
	if (part == SPLIT_SERIAL)
		return run_has_mpi(s->split->run)
			       ? ": the first thread worked alone, or was in "
				 "MPI"
			       : ": the first thread worked alone";
	if (part != SPLIT_BLOCKED)
		return "";
	return has_threads(s->split->run)
		       ? ": sleep, files, sockets, other threads (copse run -e "
			 "wall shows where, --locks=on for which locks)"
		       : ": sleep, files, sockets (copse run -e wall shows "
			 "where)";
}

static bool is_blocking(enum library_purpose purpose)
{
	return purpose == LIBRARY_LOCKS || purpose == LIBRARY_FILES ||
	       purpose == LIBRARY_SLEEPS;
}

/* CPU time in calls that may block, by the path of the call, and of all. */
static double find_blocking(const struct saying *s, double *at)
{
	struct library_use *uses = library_uses(s->paths);
	double *own = calloc(s->paths->count + 1, sizeof(*own)), all = 0;

	if (uses && own)
		time_split_paths(s->split, s->paths, SPLIT_WORK, own);
	for (uint32_t p = 1; uses && own && p < s->paths->count; p++)
		if (own[p] > 0 && is_blocking(uses[p].purpose) &&
		    paths_is_own(s->paths->run,
				 s->paths->at[uses[p].owner].node)) {
			at[uses[p].call] += own[p];
			all += own[p];
		}
	free(own);
	free(uses);
	return all;
}

/*
 * "; seen most in nanosleep ← poll_queue", before and after it blocked: a call
 * that does so often is sampled on its way.  "" where none stands out.
 */
static char *blocking_call(const struct saying *s)
{
	double *at = calloc(s->paths->count + 1, sizeof(*at)), all;
	char *path = NULL, *text = NULL;
	uint32_t most = 0;

	if (!at)
		return NULL;
	all = find_blocking(s, at);
	for (uint32_t p = 1; p < s->paths->count; p++)
		if (at[p] > at[most])
			most = p;
	if (most && at[most] >= MOST * all && all >= SEEN)
		path = paths_short(s->paths, most, FRAMES);
	if (path)
		text = str_format("; seen most in %s", path);
	else
		text = strdup("");
	free(path);
	free(at);
	return text;
}

/* Threads that the program began, and that had next to nothing to do. */
static void idle_workers(char *to, size_t size, const struct saying *s)
{
	const struct run *run = s->split->run;
	const struct run_threads *t = &run->threads;

	*to = 0;
	for (size_t i = 0; i < t->group_count; i++) {
		const struct run_thread_group *g = &t->groups[i];
		double busy =
			value_ratio((double)g->cpu_ns, (double)g->elapsed_ns);

		if (g->kind != RUN_THREAD_BEGUN || g->threads < 2 || !g->node ||
		    busy >= KIND || !paths_is_own(run, g->node) ||
		    run->nodes[g->node].flags & RUN_PYTHON)
			continue;
		snprintf(to, size,
			 "; %u threads of %s had a core for %.1f %% of their "
			 "time",
			 g->threads,
			 str_at(&run->strings, run->nodes[g->node].function),
			 100 * busy);
		return;
	}
}

static bool has_place(const struct saying *s, enum split_part part)
{
	const struct run_split *from = &s->split->run->split;

	for (size_t i = 0; i < from->path_count; i++)
		if (from->paths[i].part == part && from->paths[i].node)
			return true;
	return false;
}

/* ": up to 1.90 s in calls for files, most of it in write ← save", where that
   is much of it; else "".  To be freed, NULL: out of memory. */
static char *blocked_by_files(const struct saying *s)
{
	double blocked = s->split->parts[SPLIT_BLOCKED].seconds;
	struct io_sites sites;
	char *in, *text = NULL, time[32];

	if (io_sites_init(&sites, s->paths))
		return NULL;
	if (!sites.count || sites.total.seconds < MOST * blocked) {
		io_sites_fini(&sites);
		return strdup("");
	}
	in = paths_short(s->paths, sites.at->path, FRAMES);
	if (in)
		text = str_format(
			": up to %s in calls for files, %s of it in %s",
			phrase_time(time, fmin(sites.total.seconds, blocked)),
			phrase_most(value_ratio(sites.at->sums.seconds,
						sites.total.seconds)),
			in);
	free(in);
	io_sites_fini(&sites);
	return text;
}

/* What else is known of a part; to be freed, NULL: out of memory. */
static char *part_reason(const struct saying *s, enum split_part part)
{
	char why[160] = "", idle[160] = "", *call, *text;

	if (part == SPLIT_BLOCKED) {
		text = blocked_by_files(s);
		if (!text || *text)
			return text;
		free(text);
	}
	if (part == SPLIT_WAIT)
		main_culprit(why, sizeof(why), s);
	else if (part == SPLIT_WORK && work_kinds(why, sizeof(why), s))
		return NULL;
	else if (part != SPLIT_WORK && !has_place(s, part))
		snprintf(why, sizeof(why), "%s", guess_of_part(s, part));
	if (part == SPLIT_WORK || part == SPLIT_BLOCKED)
		idle_workers(idle, sizeof(idle), s);
	call = part == SPLIT_BLOCKED && *why ? blocking_call(s) : strdup("");
	text = call ? str_format("%s%s%s", why, call, idle) : NULL;
	free(call);
	return text;
}

/* "8.90 s in each of 4 ranks: import torch 5.53 s, NCCL 1.10 s" */
static int say_start(struct saying *s)
{
	const struct run *run = s->split->run;
	double all = s->split->parts[SPLIT_START].seconds;
	double times = run->world && run->member_count > 1
			       ? (double)run->member_count
			       : 1;
	char *words = startup_words(s->split, s->paths, times);
	char seconds[32], each[48] = "", ranks[128];

	if (times > 1)
		snprintf(each, sizeof(each), " in each of %.0f ranks", times);
	part_ranks(ranks, sizeof(ranks), s, SPLIT_START);
	if (words)
		report_line(s->report, "• %s%s%s%s.",
			    phrase_time(seconds, all / times), each, words,
			    *ranks == ';' ? ranks : "");
	free(words);
	return words ? 0 : -ENOMEM;
}

/* "1.80 s in MPI_Init ← main, alike on all ranks" */
static int say_plain(struct saying *s, enum split_part part)
{
	const struct time_part *p = &s->split->parts[part];
	char *place = part_place(s, part), *why = part_reason(s, part);
	char ranks[128], seconds[32];
	bool ok = place && why;

	part_ranks(ranks, sizeof(ranks), s, part);
	if (ok)
		report_line(s->report, "• %s%s%s%s.",
			    phrase_time(seconds, p->seconds), place, ranks,
			    why);
	free(place);
	free(why);
	return ok ? 0 : no_memory();
}

/*
 * What is said of a part.
 */

/*
 * Its advice would give back little of what it costs, since its rank has more
 * to do besides: that is the cause.
 */
static bool gains_too_little(const struct diagnosis *d,
			     const struct diagnosis_finding *f)
{
	double ranks = value_ratio(d->seconds, d->elapsed);

	return f->rule->about->waits && d->crowded < CROWDED &&
	       f->gain * ranks < EXPLAINS * f->cost;
}

/* What it costs is a good part of the part: it is its cause. */
static bool is_cause_of_part(const struct saying *s,
			     const struct diagnosis_finding *f)
{
	const struct diagnosis *d = s->diagnosis;
	double share = fmax(value_ratio(f->most, d->elapsed),
			    value_ratio(f->cost, d->seconds));

	if (!strcmp(f->rule->about->name, "iterations"))
		return false; /* it says not who waited for whom */
	return share >= EXPLAINS * time_split_share(s->split, f->rule->part);
}

/* Of a part, those that explain it or the others, but for one rank's. */
static void say_findings_of(struct saying *s, enum split_part part,
			    bool explaining, const char *but)
{
	const struct diagnosis *d = s->diagnosis;
	size_t said = 0;

	for (size_t i = 0; i < d->count && said < OF_A_PART; i++) {
		const struct diagnosis_finding *f = &d->at[i];

		if (f->rule->part != part || gains_too_little(d, f) ||
		    is_cause_of_part(s, f) != explaining ||
		    (f->rows && !strcmp(f->rows, but)))
			continue;
		diagnosis_say_finding(s->report, d, f);
		said++;
	}
}

static bool part_is_worth(const struct saying *s, enum split_part part)
{
	double share = time_split_share(s->split, part);

	switch (part) {
	case SPLIT_WORK:
		return share >=
		       MOST * (1 - time_split_share(s->split, SPLIT_CORE));
	case SPLIT_ALONE: /* it is what others waited for */
		return false;
	case SPLIT_CORE: /* that is said before all */
		return share >= WORTH &&
		       !(contention_share(s->split->run) >= CROWDED);
	default:
		return share >= WORTH;
	}
}

/* Seconds of the first thread outside MPI that were not on a core. */
static double off_core(const struct time_split *s, size_t rank)
{
	const double *parts = s->ranks[rank];
	double outside = efficiency_useful(&s->run->ranks[rank]);

	return fmax(outside - parts[SPLIT_WORK] - parts[SPLIT_ALONE], 0);
}

static double blocked_of_rank(const struct time_split *s, size_t rank)
{
	return s->ranks[rank][SPLIT_BLOCKED];
}

static double work_of_rank(const struct time_split *s, size_t rank)
{
	return s->ranks[rank][SPLIT_WORK] + s->ranks[rank][SPLIT_ALONE];
}

static double mean_of_others(const struct time_split *s, size_t rank,
			     double (*of)(const struct time_split *, size_t))
{
	double sum = 0;

	for (size_t i = 0; i < s->run->member_count; i++)
		sum += i == rank ? 0 : of(s, i);
	return sum / (double)(s->run->member_count - 1);
}

/*
 * Others waited for a rank that was blocked for most of that, and they were
 * not: more to do is not what it had.  Where cores are short it may have wanted
 * one.  Its row as text in `row`, or "".
 */
static int say_blocked_culprit(struct saying *s, char row[24])
{
	const struct time_split *split = s->split;
	const struct run *run = split->run;
	size_t culprit = find_main_culprit(run);
	double caused, own, mean, least;
	char all[32], waited[32], blocked[32], usual[32], *place;
	const char *was = "blocked";

	*row = 0;
	if (culprit >= run->member_count || run->member_count < 2)
		return 0;
	caused = run->waits.ranks[culprit].caused_ns / 1e9;
	least = MOST * caused / (double)(run->member_count - 1);
	own = blocked_of_rank(split, culprit);
	mean = mean_of_others(split, culprit, blocked_of_rank);
	if (own - mean < least &&
	    work_of_rank(split, culprit) <=
		    UNEVEN * mean_of_others(split, culprit, work_of_rank)) {
		was = "blocked or without a core";
		own = off_core(split, culprit);
		mean = mean_of_others(split, culprit, off_core);
	}
	if (own - mean < least)
		return 0;
	place = part_place(s, SPLIT_WAIT);
	if (!place)
		return no_memory();
	snprintf(row, 24, "%zu", culprit);
	report_line(s->report,
		    "• %s%s; %s of it for rank %llu, which was %s for %s "
		    "outside MPI, the others for %s on average%s.",
		    phrase_time(all, split->parts[SPLIT_WAIT].seconds), place,
		    phrase_time(waited, caused),
		    (unsigned long long)processes_number(run, culprit), was,
		    phrase_time(blocked, own), phrase_time(usual, mean),
		    part_is_worth(s, SPLIT_BLOCKED)
			    ? ""
			    : guess_of_part(s, SPLIT_BLOCKED));
	free(place);
	return 0;
}

/* What other analyses say of it, better than where it was. */
static int say_known_of_part(struct saying *s, enum split_part part)
{
	switch (part) {
	case SPLIT_WAIT:
		return findings_waits(s->report, s->blames);
	case SPLIT_OPENMP: /* of regions it is known how long and where */
		return has_place(s, part) ? 0 : openmp_say(s->report, s->paths);
	case SPLIT_THREADS:
		return gil_say(s->report, s->paths);
	default:
		return 0;
	}
}

/* "• 42 % waiting in MPI: Rank 7 had more to do …" of lines from `first` on. */
static void label_part(struct saying *s, enum split_part part, size_t first)
{
	static const char bullet[] = "• ";
	double share = time_split_share(s->split, part);
	char **line = &s->report->lines[first], *text;

	if (share < WORTH || first >= s->report->line_count ||
	    strncmp(*line, bullet, strlen(bullet)) != 0)
		return;
	text = str_format("• %.0f %% %s: %s", 100 * share,
			  split_names[part].title, *line + strlen(bullet));
	s->report->failed |= !text;
	if (!text)
		return;
	free(*line);
	*line = text;
}

/* Its cause, or who and where; what else is to be gained there. */
static int say_part(struct saying *s, enum split_part part)
{
	size_t first = s->report->line_count;
	char blocked[24] = "";
	int err = 0;

	if (part == SPLIT_WAIT && part_is_worth(s, part))
		err = say_blocked_culprit(s, blocked);
	say_findings_of(s, part, true, blocked);
	if (!err && s->report->line_count == first && part_is_worth(s, part)) {
		err = say_known_of_part(s, part);
		if (!err && s->report->line_count == first)
			err = part == SPLIT_START ? say_start(s)
						  : say_plain(s, part);
	}
	label_part(s, part, first);
	say_findings_of(s, part, false, blocked);
	s->is_said[part] = s->report->line_count > first;
	s->said += s->report->line_count - first;
	return err;
}

static bool has_finding(const struct saying *s, enum split_part part)
{
	for (size_t i = 0; i < s->diagnosis->count; i++)
		if (s->diagnosis->at[i].rule->part == part)
			return true;
	return false;
}

/* Nothing is known of it but how long it was: that comes last. */
static bool is_only_guessed(const struct saying *s, enum split_part part)
{
	bool files = part == SPLIT_BLOCKED && s->split->run->io.file_count;

	return (part == SPLIT_BLOCKED || part == SPLIT_SERIAL ||
		part == SPLIT_UNKNOWN) &&
	       !files && !has_place(s, part) && !has_finding(s, part);
}

static int say_parts_that(struct saying *s, const struct part_size *sizes,
			  bool guessed)
{
	int err = 0;

	for (size_t i = 0; i < SPLIT_PARTS && s->said < SENTENCES && !err; i++)
		if (is_only_guessed(s, sizes[i].part) == guessed)
			err = say_part(s, sizes[i].part);
	return err;
}

int split_say_parts(struct report *report, const struct time_split *split,
		    const struct blames *blames, const struct diagnosis *d)
{
	static const enum split_part besides[] = { SPLIT_OPENMP,
						   SPLIT_THREADS };
	struct saying s = { .report = report,
			    .split = split,
			    .blames = blames,
			    .paths = blames->paths,
			    .diagnosis = d };
	struct part_size sizes[SPLIT_PARTS];
	int err;

	sort_parts(sizes, split);
	err = say_parts_that(&s, sizes, false);
	if (!err)
		err = say_parts_that(&s, sizes, true);
	for (size_t i = 0; i < 2 && !err; i++)
		if (!s.is_said[besides[i]])
			err = say_known_of_part(&s, besides[i]);
	if (!err)
		diagnosis_say_rest(report, d);
	return err;
}
