/* SPDX-License-Identifier: BSD-3-Clause */
/* awaited-work.c - gathers what calls that wait for GPUs waited for. */
#include "analyse/gpu/awaited-work.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/phrase.h"
#include "analyse/base/value.h"
#include "analyse/gpu/host-parts.h"
#include "analyse/paths/brief.h"
#include "base/comparison.h"
#include "base/err.h"
#include "base/gpu-calls.h"
#include "base/map.h"
#include "base/str.h"
#include "live/layout.h"
#include "run/startup.h"

#define MOSTLY 0.5 /* of the wait: the work that is named */

/* What is gathered from. */
struct awaited_source {
	const struct paths *paths;
	const struct run_metric *calls, *seconds, *awaited;
	uint8_t *startup;
	uint32_t main;  /* module */
	struct map map; /* of rows */
};

static double value_or_none(const struct run_metric *m, uint32_t node)
{
	return m ? value_node(m, node) : 0;
}

/* The line of the program from which a node is called, and its path. */
static uint64_t place_of_call(const struct awaited_source *s, uint32_t node,
			      uint32_t *owner, uint32_t *at)
{
	const struct run *run = s->paths->run;

	*owner = host_program_frame(run, s->main, node, at);
	if (!*owner)
		*at = 0;
	return (uint64_t)s->paths->of[node] << 32 | run->nodes[*at].line;
}

static struct awaited_work *awaited_row(struct awaited_works *to,
					struct awaited_source *s, uint32_t call,
					uint32_t name)
{
	uint32_t at, row, owner;
	uint64_t place = place_of_call(s, call, &owner, &at);

	row = map_put(&s->map, place, name, (uint32_t)to->count);
	if (row == MAP_NONE)
		return NULL;
	if (row == to->count)
		to->at[to->count++] =
			(struct awaited_work){ .path = s->paths->of[call],
					       .owner = s->paths->of[owner],
					       .node = at,
					       .name = name };
	return &to->at[row];
}

static int gather_awaited(struct awaited_works *to, struct awaited_source *s)
{
	const struct run *run = s->paths->run;

	for (uint32_t n = 1; n < run->node_count; n++) {
		uint32_t parent = run->nodes[n].parent;
		double waited = value_or_none(s->awaited, n);
		bool call = run->nodes[n].kind == RUN_GPU_CALL &&
			    value_or_none(s->seconds, n) > 0;
		struct awaited_work *row;

		if (s->startup[n] != STARTUP_NONE ||
		    !(call ||
		      (waited > 0 && run->nodes[parent].kind == RUN_GPU_CALL)))
			continue;
		row = awaited_row(to, s, call ? n : parent,
				  call ? 0 : run->nodes[n].function);
		if (!row)
			return no_memory();
		row->calls += call ? value_or_none(s->calls, n) : 0;
		row->seconds += call ? value_or_none(s->seconds, n) : 0;
		row->waited += call ? 0 : waited;
	}
	return 0;
}

/* Each row of work has the numbers of its call; the call's keeps the rest. */
static void finish_awaited(struct awaited_works *to, struct awaited_source *s)
{
	for (size_t i = 0; i < to->count; i++) {
		struct awaited_work *row = &to->at[i];
		uint64_t place = (uint64_t)row->path << 32 |
				 s->paths->run->nodes[row->node].line;
		uint32_t call = map_get(&s->map, place, 0);

		if (!row->name || call == MAP_NONE)
			continue;
		row->calls = to->at[call].calls;
		row->seconds = to->at[call].seconds;
		to->at[call].waited += row->waited;
	}
	for (size_t i = 0; i < to->count; i++)
		if (!to->at[i].name)
			to->at[i].waited =
				fmax(to->at[i].seconds - to->at[i].waited, 0);
}

ORDER_BY(by_awaited, struct awaited_work,
	 DESC(seconds) ?: ASC(path) ?: ASC(node) ?: DESC(waited))

int awaited_works_init(struct awaited_works *to, const struct paths *paths)
{
	const struct run *run = paths->run;
	struct awaited_source s = {
		.paths = paths,
		.calls = run_metric(run, metric_infos[METRIC_GPU_CALLS].name),
		.seconds = run_metric(run, metric_infos[METRIC_GPU_WAIT].name),
		.awaited =
			run_metric(run, metric_infos[METRIC_GPU_AWAITED].name),
		.startup = startup_nodes(run),
		.main = host_main_module(run),
	};
	int err;

	*to = (struct awaited_works){ .at = calloc(run->node_count + 1,
						   sizeof(*to->at)) };
	err = to->at && s.startup ? gather_awaited(to, &s) : no_memory();
	if (!err) {
		finish_awaited(to, &s);
		qsort(to->at, to->count, sizeof(*to->at), by_awaited);
	}
	map_fini(&s.map);
	free(s.startup);
	return err;
}

void awaited_works_fini(struct awaited_works *works)
{
	free(works->at);
	*works = (struct awaited_works){ 0 };
}

static char *line_of_call(const struct paths *paths,
			  const struct awaited_work *row)
{
	const struct run_node *n = &paths->run->nodes[row->node];

	return n->line ? paths_place(paths->run, n->file, n->line) : NULL;
}

void awaited_works_table(struct report *report, const struct paths *paths,
			 const struct awaited_works *works, size_t limit)
{
	if (!works->count)
		return;
	report_table(report, "waits", "calls that wait for GPUs, by work");
	report_column(report, "work", "waited for", COLUMN_TEXT);
	report_column(report, "seconds", "time", COLUMN_SECONDS);
	report_column(report, "share", "of the call", COLUMN_SHARE);
	report_column(report, "calls", "calls", COLUMN_COUNT);
	report_column(report, "line", "line", COLUMN_LEFT_TEXT);
	report_column(report, "call_path", "call path", COLUMN_TEXT);
	for (size_t i = 0; i < works->count && i < limit; i++) {
		const struct awaited_work *row = &works->at[i];
		char *line = line_of_call(paths, row);

		if (row->waited <= 0) {
			free(line);
			continue;
		}
		report_text(report,
			    row->name ? str_at(&paths->run->strings, row->name)
				      : "(no work that is known)");
		report_number(report, row->waited);
		report_number(report, value_ratio(row->waited, row->seconds));
		value_cell(report, UNIT_COUNT, row->calls);
		report_text(report, line);
		paths_cell(report, paths, row->path);
		free(line);
	}
}

/* Of the call with most: that row, and the work that it waited for most. */
static const struct awaited_work *
most_awaited(const struct awaited_works *works,
	     const struct awaited_work **call)
{
	const struct awaited_work *most = NULL;

	*call = NULL;
	for (size_t i = 0; i < works->count; i++) {
		const struct awaited_work *row = &works->at[i];

		if (*call &&
		    (row->path != (*call)->path || row->node != (*call)->node))
			break;
		*call = row;
		if (row->name && (!most || row->waited > most->waited))
			most = row;
	}
	return most;
}

/* "300 times"; of calls that need not wait it is not known how many did. */
static void put_wait_times(char *to, size_t size, const struct paths *paths,
			   const struct awaited_work *call)
{
	const struct run *run = paths->run;
	char many[32];
	bool all = gpu_call_waits(
		str_at(&run->strings,
		       run->nodes[paths->at[call->path].node].function));

	phrase_many(many, call->calls, all ? "time" : "call");
	snprintf(to, size, "%s%s", all ? "" : "in some of ", many);
}

char *awaited_works_text(const struct paths *paths,
			 const struct awaited_works *works)
{
	const struct awaited_work *call;
	const struct awaited_work *most = most_awaited(works, &call);
	char *name, *owner, *line, *text = NULL, *work = NULL;
	char time[32], times[64];

	if (!call || call->seconds <= 0)
		return strdup("");
	name = paths_short(paths, call->path, 1);
	owner = call->owner ? paths_short(paths, call->owner, 1) : strdup("");
	line = line_of_call(paths, call);
	if (most && most->waited >= MOSTLY * call->seconds)
		work = brief_name(str_at(&paths->run->strings, most->name));
	put_wait_times(times, sizeof(times), paths, call);
	if (name && owner)
		text = str_format("waits for the GPU in %s%s%s%s%s %s, "
				  "%s%s%s",
				  name, *owner ? PATHS_ARROW : "", owner,
				  line ? ", " : "", line ? line : "", times,
				  phrase_time(time, call->seconds),
				  work ? ", mostly for " : "",
				  work ? work : "");
	free(work);
	free(owner);
	free(name);
	free(line);
	return text;
}
