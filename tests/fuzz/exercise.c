/* SPDX-License-Identifier: BSD-3-Clause */
/* exercise.c - all of the offline part, with its output thrown away. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyse/base/analysis.h"
#include "analyse/compare/gate.h"
#include "base/str.h"
#include "live/layout.h"
#include "format/format.h"
#include "merge/merge.h"
#include "tests/fuzz/exercise.h"

static FILE *nowhere(void)
{
	static FILE *to;

	if (!to)
		to = fopen("/dev/null", "w");
	if (!to)
		abort();
	return to;
}

const char *exercise_directory(void)
{
	static char name[] = "fuzzing-XXXXXX";
	static bool made;

	if (!made && !mkdtemp(name))
		abort();
	made = true;
	return name;
}

/* FNV-1a (Fowler, Noll, Vo). */
uint32_t exercise_choice(const void *data, size_t size)
{
	const unsigned char *at = data;
	uint32_t hash = 2166136261u;

	while (size--)
		hash = (hash ^ *at++) * 16777619u;
	return hash;
}

static uint32_t take(uint32_t *choice, size_t of)
{
	uint32_t taken = *choice % (uint32_t)of;

	*choice /= (uint32_t)of;
	return taken;
}

static const struct format_style styles[] = {
	{ .width = 80, .utf8 = true },
	{ .width = 20 },
};

static const char *const names[] = { "one", "two", NULL };
static const struct analysis_options options[] = {
	{ .names = names, .prune = 0.01 },
	{ .names = names, .limit = SIZE_MAX },
	{ .names = names,
	  .limit = SIZE_MAX,
	  .bottom_up = true,
	  .by_line = true },
};

enum {
	STYLES = sizeof(styles) / sizeof(*styles),
	OPTIONS = sizeof(options) / sizeof(*options)
};

static void show(const struct report *report, uint32_t choice)
{
	size_t count = 0;

	while (formats[count] && formats[count]->write_report)
		count++;
	formats[take(&choice, count)]->write_report(
		nowhere(), report, &styles[take(&choice, STYLES)]);
}

static void analyse(const struct run *const runs[], uint32_t choice)
{
	struct report *report = NULL;
	const struct analysis *analysis;
	size_t count = 0;

	while (analyses[count])
		count++;
	analysis = analyses[take(&choice, count)];
	if (!analysis->run(&report, runs, &options[take(&choice, OPTIONS)]))
		show(report, choice);
	report_free(report);
}

static void show_all(const struct analysis *analysis,
		     const struct run *const runs[],
		     const struct analysis_options *how)
{
	struct report *report = NULL;

	if (!analysis->run(&report, runs, how))
		for (size_t i = 0; formats[i]->write_report; i++)
			for (size_t style = 0; style < STYLES; style++)
				formats[i]->write_report(nowhere(), report,
							 &styles[style]);
	report_free(report);
}

/* As copse report -f html has it. */
static void write_page(const struct run *const runs[], bool two)
{
	const struct analysis_options defaults = { 0 };
	const struct overview_choice choice = {
		.only = two ? analysis_find("diff") : NULL
	};
	struct overview overview;

	if (overview_init(&overview, runs, &choice, &defaults))
		return;
	format_find("html")->write_overview(nowhere(), &overview);
	overview_fini(&overview);
}

void exercise_reports(const struct run *run)
{
	const struct run *one[] = { run, NULL }, *two[] = { run, run, NULL };

	for (size_t i = 0; analyses[i]; i++)
		for (size_t how = 0; how < OPTIONS; how++) {
			show_all(analyses[i], one, &options[how]);
			show_all(analyses[i], two, &options[how]);
		}
	write_page(one, false);
	write_page(two, true);
}

static void judge(const struct run *const runs[], uint32_t choice)
{
	static const char *const rules[] = { "path(*)>1%", "function(*)>1%",
					     "elapsed>1s", NULL };
	const struct gate_options gate = { .rules = rules, .confidence = 0.99 };
	const struct analysis_options defaults = { 0 };
	struct report *report = NULL;
	bool failed;

	if (!gate_run(&report, &failed, &gate, runs, &defaults))
		show(report, choice);
	report_free(report);
}

static void export(const struct run *run, uint32_t choice)
{
	struct rank_choice ranks = { 0 };
	const struct format_choice choices[] = {
		{ .ranks = &ranks },
		{ .ranks = &ranks, .by_rank = true },
		{ .ranks = &ranks, .by_node = true, .node = choice % 16 },
		{ .ranks = &ranks, .by_rank = true, .metric = "mpi.time.max" },
	};
	size_t first = 0, count = 0;

	if (rank_choice_telling(&ranks, run, 1 + choice % 4))
		return;
	while (formats[first]->write_report)
		first++;
	while (formats[first + count])
		count++;
	first += take(&choice, count);
	if (formats[first]->write_run)
		formats[first]->write_run(nowhere(), run,
					  &choices[take(&choice, 4)]);
	rank_choice_fini(&ranks);
}

void exercise_run(const struct run *run, uint32_t choice)
{
	const struct run *one[] = { run, NULL }, *two[] = { run, run, NULL };

	switch (take(&choice, 10)) {
	case 0:
		judge(two, choice);
		break;
	case 1:
		export(run, choice);
		break;
	case 2:
		analyse(two, choice);
		break;
	case 3:
		write_page(one, false);
		break;
	case 4:
		write_page(two, true);
		break;
	default:
		analyse(one, choice);
	}
}

static void exercise_merged(uint32_t choice)
{
	char *path = str_format("%s/again.h5", exercise_directory());
	struct run *run = NULL, *again = NULL;

	if (!path)
		abort();
	if (!merge_directory(&run, exercise_directory())) {
		exercise_run(run, choice);
		/* What we write, we read. */
		if (run_save(run, path) || run_load(&again, path))
			abort();
		run_free(again);
		unlink(path);
	}
	run_free(run);
	free(path);
}

/* Another rank, which says nearly the same by another clock. */
static void save_peer(struct profile *p, const char *path)
{
	p->id.rank ^= 1;
	p->id.pid ^= 1;
	snprintf(p->id.clock_id, sizeof(p->id.clock_id), "another");
	p->id.start_real_ns += 1000000;
	for (size_t i = 0; i < p->part_count; i++) {
		p->parts[i].peer = p->parts[i].peer > 0 ? 0 : 1;
		if (p->parts[i].comm_rank < 2)
			p->parts[i].comm_rank ^= 1;
		if (p->parts[i].kind == LIVE_EVENT_SEND)
			p->parts[i].kind = LIVE_EVENT_RECV;
		else if (p->parts[i].kind == LIVE_EVENT_RECV)
			p->parts[i].kind = LIVE_EVENT_SEND;
	}
	if (profile_save(p, path))
		abort();
}

/* Neither its path nor its build id is of a file of this machine. */
static void hide(struct profile_module *module)
{
	if (*module->path)
		*module->path = '#';
	if (strlen(module->build_id) > 4)
		memcpy(module->build_id, "0000", 4);
}

void exercise_profile(struct profile *p, uint32_t choice)
{
	char *peer = str_format("%s/rank-1.h5", exercise_directory());
	char *path = str_format("%s/rank-0.h5", exercise_directory());
	struct profile *again = NULL;

	if (!path || !peer)
		abort();
	for (size_t i = 0; i < p->module_count; i++)
		hide(&p->modules[i]);
	if (!profile_save(p, path)) {
		/* What we write, we read. */
		if (profile_load(&again, path))
			abort();
		profile_free(again);
		if (take(&choice, 4) == 0)
			save_peer(p, peer);
		exercise_merged(choice);
	}
	unlink(path);
	unlink(peer);
	free(path);
	free(peer);
	profile_free(p);
}
