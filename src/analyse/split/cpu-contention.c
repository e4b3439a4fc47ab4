/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cpu-contention.c - a sentence on processes that waited for cores: those that
 * may run on the same ones are a group.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/split/cpu-contention.h"
#include "analyse/base/report.h"
#include "analyse/base/phrase.h"
#include "analyse/base/processes.h"
#include "analyse/split/time-split.h"
#include "analyse/base/value.h"
#include "base/err.h"
#include "base/map.h"

#define APART   0.05 /* of the time: so much more one rank waited */
#define MUCH    0.1  /* of their time processes waited for a core: it is said */
#define VERDICT 0.5  /* the same: nothing else can be judged by times */
#define FULL    0.8  /* of its cores a group itself used: nobody else's fault */

struct core_group { /* processes with the same cores */
	const struct run_rank *first;
	size_t processes, threads;
	double waited, elapsed, cpu;
};

struct crowd {
	const struct run *run;
	struct core_group *groups;
	uint32_t *of; /* group of each member; MAP_NONE: not known */
	size_t count;
	uint32_t *waiting; /* members of groups that waited much */
	size_t waiting_count;
};

static double share_of_group(const struct core_group *g)
{
	return value_ratio(g->waited, g->elapsed);
}

/*
 * How long its first thread lived, in which it waited: that began before it was
 * measured, which matters where cores are scarce.
 */
static double seconds_lived(const struct run_rank *r)
{
	double ran = (double)r->process_cpu_ns / (r->threads ? r->threads : 1);

	return fmax((double)r->elapsed_ns, (double)r->cores.waited_ns + ran);
}

double contention_of_rank(const struct run_rank *r)
{
	if (!r->cores.count)
		return 0;
	return value_ratio((double)r->cores.waited_ns, seconds_lived(r));
}

static void add_to_group(struct core_group *g, const struct run_rank *r)
{
	if (!g->processes++)
		g->first = r;
	g->threads += r->threads;
	g->waited += (double)r->cores.waited_ns;
	g->elapsed += seconds_lived(r);
	g->cpu += (double)r->process_cpu_ns;
}

static int divide_by_cores(struct crowd *c)
{
	struct map map = { 0 };
	int err = 0;

	for (size_t i = 0; i < c->run->member_count && !err; i++) {
		const struct run_rank *r = &c->run->ranks[i];

		c->of[i] = MAP_NONE;
		if (!r->cores.count)
			continue;
		c->of[i] = map_put(&map, r->cores.key, r->host,
				   (uint32_t)c->count);
		if (c->of[i] == MAP_NONE)
			err = no_memory();
		else if (c->of[i] == c->count)
			c->count++;
		if (!err)
			add_to_group(&c->groups[c->of[i]], r);
	}
	map_fini(&map);
	return err;
}

static const struct core_group *group_of(const struct crowd *c, size_t member)
{
	uint32_t group = c->of[member];

	return group == MAP_NONE ? NULL : &c->groups[group];
}

/* The group that waited most; who waited much is listed. */
static const struct core_group *find_waiting(struct crowd *c)
{
	const struct core_group *worst = NULL;

	for (size_t i = 0; i < c->run->member_count; i++) {
		const struct core_group *g = group_of(c, i);

		if (!g || share_of_group(g) < MUCH)
			continue;
		c->waiting[c->waiting_count++] = (uint32_t)i;
		if (!worst || share_of_group(g) > share_of_group(worst))
			worst = g;
	}
	return worst;
}

/*
 * While a process waits for a core, all of them are in use; if not by the group
 * itself, then by others.
 */
static bool has_others(const struct core_group *g)
{
	double busy = g->waited * (double)g->first->cores.count;

	return g->cpu * (double)g->processes < FULL * busy;
}

/* "4 ranks shared 2 cores of node1"; `to` holds `size` bytes. */
static void contention_reason(char *to, size_t size, const struct run *run,
			      const struct core_group *g)
{
	const char *host = str_at(&run->strings, g->first->host);
	char processes[32], threads[32], cores[32], with[48] = "";
	uint64_t count = g->first->cores.count;

	if (g->processes <= count &&
	    (g->threads <= count ||
	     g->cpu * (double)g->processes < FULL * count * g->elapsed)) {
		snprintf(to, size, "others used the cores of %s", host);
		return;
	}
	if (g->processes <= count || g->threads >= 2 * g->processes)
		snprintf(with, sizeof(with), " with %s",
			 phrase_plural(threads, g->threads, "thread"));
	snprintf(to, size, "%s%s %s %s of %s%s",
		 phrase_plural(processes, g->processes, processes_noun(run)),
		 with, g->processes > 1 ? "shared" : "had",
		 phrase_plural(cores, count, "core"), host,
		 has_others(g) ? " with other programs" : "");
}

/* ", rank 3 52 %", or nothing when that is about what all have. */
static void most_crowded_rank(char *to, size_t size, const struct crowd *c,
			      double all)
{
	const struct run_rank *most = &c->run->ranks[c->waiting[0]];

	for (size_t i = 1; i < c->waiting_count; i++)
		if (contention_of_rank(&c->run->ranks[c->waiting[i]]) >
		    contention_of_rank(most))
			most = &c->run->ranks[c->waiting[i]];
	*to = 0;
	if (contention_of_rank(most) >= all + APART)
		snprintf(to, size, ", %s %llu %.0f %%", processes_noun(c->run),
			 (unsigned long long)processes_number(
				 c->run, (size_t)(most - c->run->ranks)),
			 100 * contention_of_rank(most));
}

/* How much of it was while there was work, which is what was lost; or "". */
static int lost_time(char *to, size_t size, const struct run *run)
{
	struct time_split split;
	int err = time_split_init(&split, run);
	double share = time_split_share(&split, SPLIT_CORE);

	*to = 0;
	if (!err && run->world)
		snprintf(to, size, " (%.0f %% while %s had work)", 100 * share,
			 run->member_count > 1 ? "they" : "it");
	time_split_fini(&split);
	return err;
}

/*
 * "Ranks 0–3 waited for a core 48 % of the time, rank 3 52 %: …".  Of more than
 * half of the time it is the verdict on all that follows.
 */
static int say_contention(struct report *report, const struct crowd *c,
			  const struct core_group *worst)
{
	const char *noun = c->run->world ? "Rank" : "Process";
	char *who = processes_list(c->run, c->waiting, c->waiting_count);
	double waited = 0, elapsed = 0, all;
	char cause[256], most[64], lost[64];
	int err;

	for (size_t i = 0; i < c->waiting_count; i++) {
		const struct run_rank *r = &c->run->ranks[c->waiting[i]];

		waited += (double)r->cores.waited_ns;
		elapsed += seconds_lived(r);
	}
	all = value_ratio(waited, elapsed);
	most_crowded_rank(most, sizeof(most), c, all);
	contention_reason(cause, sizeof(cause), c->run, worst);
	err = lost_time(lost, sizeof(lost), c->run);
	report->failed |= !who;
	if (who && !err)
		report_line(report,
			    "%s %s%s %s waited for a core %.0f %% of the "
			    "time%s%s: %s.%s",
			    all >= VERDICT ? "!" : "•", noun,
			    c->waiting_count == 1 ? ""
			    : c->run->world       ? "s"
						  : "es",
			    who, 100 * all, most, lost, cause,
			    all >= VERDICT && c->run->world
				    ? " How long ranks waited says little "
				      "then; their CPU time, counts, and who "
				      "had more to do hold."
				    : "");
	free(who);
	return err;
}

int contention_findings(struct report *report, const struct run *run)
{
	size_t count = run->member_count;
	struct crowd c = {
		.run = run,
		.groups = calloc(count + 1, sizeof(*c.groups)),
		.of = calloc(count + 1, sizeof(*c.of)),
		.waiting = calloc(count + 1, sizeof(*c.waiting)),
	};
	const struct core_group *worst;
	int err = c.groups && c.of && c.waiting ? divide_by_cores(&c)
						: no_memory();

	worst = err ? NULL : find_waiting(&c);
	if (worst)
		err = say_contention(report, &c, worst);
	free(c.groups);
	free(c.of);
	free(c.waiting);
	return err;
}

double contention_share(const struct run *run)
{
	struct core_group all = { 0 };

	for (size_t i = 0; i < run->member_count; i++)
		if (run->ranks[i].cores.count)
			add_to_group(&all, &run->ranks[i]);
	return all.processes ? share_of_group(&all) : NAN;
}
