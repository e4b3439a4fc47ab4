/* SPDX-License-Identifier: BSD-3-Clause */
/* lock-waits.c - see lock-waits.h. */
#include "analyse/threads/lock-waits.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/base/phrase.h"
#include "analyse/base/value.h"
#include "base/comparison.h"
#include "base/err.h"
#include "base/map.h"

#define WORTH  0.05 /* of the time that threads had work: worth a sentence */
#define FRAMES 2

/* Of each path: what was waited there, how often, and what is to blame. */
struct lock_values {
	double *waits, *waited, *blamed, *idle_waits, *idle;
};

static double *lock_values_of(const struct paths *paths, const char *name)
{
	const struct run_metric *m = run_metric(paths->run, name);
	double *at = calloc(paths->count + 1, sizeof(*at));

	if (at && m)
		paths_values(paths, m, at, NULL);
	return at;
}

static void lock_values_fini(struct lock_values *v)
{
	free(v->waits);
	free(v->waited);
	free(v->blamed);
	free(v->idle_waits);
	free(v->idle);
}

static int lock_values_init(struct lock_values *v, const struct paths *paths)
{
	v->waits = lock_values_of(paths, "lock.waits");
	v->waited = lock_values_of(paths, "lock.wait");
	v->blamed = lock_values_of(paths, "lock.blame");
	v->idle_waits = lock_values_of(paths, "sync.waits");
	v->idle = lock_values_of(paths, "sync.wait");
	return v->waits && v->waited && v->blamed && v->idle_waits && v->idle
		       ? 0
		       : no_memory();
}

static bool is_in_mpi(const struct paths *paths, uint32_t path)
{
	while (path && paths->run->nodes[paths->at[path].node].kind != RUN_MPI)
		path = paths->at[path].parent;
	return path;
}

static void add_lock_path(struct lock_waits *to, const struct paths *paths,
			  const struct lock_values *v, uint32_t path)
{
	double waited = v->waited[path] + v->idle[path];

	to->node = paths->at[path].node;
	to->holds |= v->waits[path] > 0 || v->blamed[path] > 0;
	to->of_mpi |= v->blamed[path] > 0 && is_in_mpi(paths, path);
	to->waits += v->waits[path] + v->idle_waits[path];
	to->waited += waited;
	to->blamed += v->blamed[path];
	if (waited > to->at_waiter) {
		to->at_waiter = waited;
		to->waiter = paths->at[path].parent;
	}
	if (v->blamed[path] > to->at_holder) {
		to->at_holder = v->blamed[path];
		to->holder = paths->at[path].parent;
	}
}

static int sum_lock_paths(struct lock_table *to, const struct paths *paths,
			  const struct lock_values *v)
{
	const struct run *run = paths->run;
	struct map map = { 0 };
	int err = 0;

	to->at = calloc(paths->count + 1, sizeof(*to->at));
	if (!to->at)
		return no_memory();
	for (uint32_t p = 1; p < paths->count && !err; p++) {
		const struct run_node *n = &run->nodes[paths->at[p].node];
		uint32_t index;

		if (n->kind != RUN_LOCK || n->detail == RUN_LOCK_YIELDS)
			continue;
		index = map_put(&map, n->function, n->module,
				(uint32_t)to->count);
		if (index == MAP_NONE)
			err = no_memory();
		else
			add_lock_path(&to->at[index], paths, v, p);
		to->count += !err && index == to->count;
	}
	map_fini(&map);
	return err;
}

ORDER_BY(by_lock_waited, struct lock_waits,
	 DESC(holds) ?: ASC(of_mpi) ?: DESC(waited) ?: ASC(node))

/* Holders made nobody wait for longer than it was waited: that is exact. */
static void blame_no_more(struct lock_waits *l)
{
	if (l->blamed <= l->waited)
		return;
	l->at_holder *= value_ratio(l->waited, l->blamed);
	l->blamed = l->waited;
}

int lock_table_find(struct lock_table *to, const struct paths *paths)
{
	const struct run_metric *cpu = run_metric(paths->run, "cpu.time");
	struct lock_values v = { 0 };
	int err = lock_values_init(&v, paths);

	*to = (struct lock_table){ 0 };
	if (!err)
		err = sum_lock_paths(to, paths, &v);
	lock_values_fini(&v);
	if (err) {
		lock_table_fini(to);
		return err;
	}
	qsort(to->at, to->count, sizeof(*to->at), by_lock_waited);
	for (size_t i = 0; i < to->count; i++) {
		blame_no_more(&to->at[i]);
		if (to->at[i].holds && !to->at[i].of_mpi)
			to->waited += to->at[i].waited;
	}
	for (size_t n = 0; cpu && n < paths->run->node_count; n++)
		to->worked += value_node(cpu, n);
	return 0;
}

void lock_table_fini(struct lock_table *table)
{
	free(table->at);
	*table = (struct lock_table){ 0 };
}

static const char *name_of_lock(const struct run *run,
				const struct lock_waits *l)
{
	return str_at(&run->strings, run->nodes[l->node].function);
}

char *lock_waits_name(const struct lock_waits *l, const struct run *run)
{
	const char *name = name_of_lock(run, l);
	size_t length = strlen(name);

	return length > 2 ? strndup(name + 1, length - 2) : strdup(name);
}

static int say_locks(struct report *report, const struct paths *paths,
		     const struct lock_table *all)
{
	const struct lock_waits *l = &all->at[0];
	char *name = lock_waits_name(l, paths->run);
	char *in = paths_short(paths, l->waiter, FRAMES);
	char *by = paths_short(paths, l->holder, FRAMES);
	char time[32];
	int err = name && in && by ? 0 : no_memory();

	if (!err)
		report_line(report,
			    "• Threads waited for locks %s, %.0f %% of the "
			    "time that they had work; %.0f %% of it for %s "
			    "in %s%s%s: hold it for less, or split what it "
			    "guards.",
			    phrase_time(time, all->waited),
			    100 * value_ratio(all->waited,
					      all->waited + all->worked),
			    100 * value_ratio(l->waited, all->waited), name, in,
			    l->holder ? ", most while it was held by " : "",
			    l->holder ? by : "");
	free(name);
	free(in);
	free(by);
	return err;
}

int lock_table_say(struct report *report, const struct paths *paths)
{
	struct lock_table all;
	int err;

	if (!run_metric(paths->run, "lock.wait"))
		return 0;
	err = lock_table_find(&all, paths);
	if (!err && all.count && all.at[0].waiter && !all.at[0].of_mpi &&
	    all.waited > WORTH * (all.waited + all.worked))
		err = say_locks(report, paths, &all);
	lock_table_fini(&all);
	return err;
}

static void lock_columns(struct report *report, bool locks)
{
	report_column(report, locks ? "lock" : "what",
		      locks ? "lock" : "waited for", COLUMN_TEXT);
	report_column(report, "waits", "waits", COLUMN_COUNT);
	report_column(report, "waited", "waited", COLUMN_SECONDS);
	report_column(report, "share", locks ? "share" : NULL, COLUMN_SHARE);
	report_column(report, "waited_in", locks ? "most in" : "most in",
		      COLUMN_LEFT_TEXT);
	report_column(report, "waited_in_share", "of it", COLUMN_SHARE);
	if (!locks)
		return;
	report_column(report, "blamed", NULL, COLUMN_SECONDS);
	report_column(report, "held_in", "held most in", COLUMN_LEFT_TEXT);
	report_column(report, "held_in_share", "of it", COLUMN_SHARE);
}

static void put_lock_path(struct report *report, const struct paths *paths,
			  uint32_t path, double share)
{
	char *text = path ? paths_short(paths, path, FRAMES) : NULL;

	report_text(report, text);
	value_if_known(report, path ? share : -1);
	free(text);
}

static void lock_row(struct report *report, const struct paths *paths,
		     const struct lock_table *all, const struct lock_waits *l)
{
	report_text(report, name_of_lock(paths->run, l));
	report_count(report, (uint64_t)l->waits);
	report_number(report, l->waited);
	report_number(report,
		      value_ratio(l->waited, all->waited + all->worked));
	put_lock_path(report, paths, l->waiter,
		      value_ratio(l->at_waiter, l->waited));
	if (!l->holds)
		return;
	report_number(report, l->blamed);
	put_lock_path(report, paths, l->holder,
		      value_ratio(l->at_holder, l->blamed));
}

static void put_lock_rows(struct report *report, const struct paths *paths,
			  const struct lock_table *all, bool locks,
			  size_t limit)
{
	bool any = false;
	size_t rows = 0;

	for (size_t i = 0; i < all->count; i++)
		any |= all->at[i].holds == locks && all->at[i].waits > 0;
	report_table(report, locks ? "locks" : "waits",
		     !any    ? NULL
		     : locks ? "locks that threads waited for"
			     : "other waits: idle, or for other threads");
	lock_columns(report, locks);
	for (size_t i = 0; i < all->count && rows < limit; i++) {
		const struct lock_waits *l = &all->at[i];

		if (l->holds != locks || l->waits <= 0)
			continue;
		lock_row(report, paths, all, l);
		rows++;
	}
}

int lock_table_put(struct report *report, const struct paths *paths,
		   size_t limit)
{
	struct lock_table all;
	int err = lock_table_find(&all, paths);

	if (err)
		return err;
	put_lock_rows(report, paths, &all, true, limit);
	put_lock_rows(report, paths, &all, false, limit);
	lock_table_fini(&all);
	return 0;
}
