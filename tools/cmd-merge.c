/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cmd-merge.c - copse merge: the rank files of a directory become run.h5, here
 * or, under a launcher, by all processes of the job together.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "merge/run.h"
#include "merge/symbol.h"
#include "merge/team.h"
#include "profile/store.h"
#include "tools/command.h"
#include "tools/merge-job.h"
#include "tools/progress.h"

/* Mutable: the command's options. */
static const char *output;
static bool quiet, alone;
static unsigned int threads;
static const char *loops;
static unsigned int fetch = UINT_MAX;

static const struct option options[] = {
	{ 'o', "output", "FILE", "write FILE instead of DIR/run.h5", set_string,
	  &output },
	{ 't', "threads", "N", "work with N threads, not one for each core",
	  set_count, &threads },
	{ 0, "alone", NULL,
	  "do not merge together with a job's other processes", set_flag,
	  &alone },
	{ 0, "loops", "on|off", "look for loops in machine code, or not",
	  set_string, &loops },
	{ 0, "cache", "DIR|off", "keep names in DIR, or do not", set_string,
	  &symbol_options.cache },
	{ 0, "fetch", "SECONDS", "how long debuginfod may take", set_count,
	  &fetch },
	{ 'q', "quiet", NULL, "say nothing when all is well", set_flag,
	  &quiet },
	{ 0 },
};

static void print_problems(const struct run *run)
{
	for (size_t i = 0; i < run->problem_count; i++)
		fprintf(stderr, "copse merge: %s: %s\n",
			str_at(&run->strings, run->problems[i].source),
			str_at(&run->strings, run->problems[i].text));
}

static void print_result(const struct run *run, const char *path)
{
	if (!quiet)
		printf("%s: %zu process%s, %zu contexts\n", path,
		       run->rank_count, run->rank_count == 1 ? "" : "es",
		       run->node_count);
}

/* How names are found. */
static int set_names(void)
{
	const char *cache = symbol_options.cache;

	symbol_options.fetch_seconds = fetch;
	if (cache && *cache != '/' && strcmp(cache, "off") != 0)
		return fail(-EINVAL, "--cache wants a path from the root, or "
				     "off");
	if (!loops)
		return 0;
	symbol_options.loops = SYMBOL_LOOPS_ON;
	if (!strcmp(loops, "off"))
		symbol_options.loops = SYMBOL_LOOPS_OFF;
	else if (strcmp(loops, "on") != 0)
		return fail(-EINVAL, "--loops is on or off, not '%s'", loops);
	return 0;
}

int merge_by(struct team *team, unsigned int share, int argc, char **argv)
{
	struct progress bar;
	struct merge_progress progress = progress_start(&bar);
	struct run *run = NULL;
	char *path;
	int err;

	if (argc != 1)
		return fail(-EINVAL,
			    "one directory is wanted: copse merge DIR");
	if (!*argv[0])
		return fail(-EINVAL, "the directory's name is empty");
	err = set_names();
	if (err)
		return err;
	path = output ? str_format("%s", output)
		      : str_format("%s/run.h5", argv[0]);
	if (!path)
		return fail(-ENOMEM, "out of memory");
	store_mind_signals();
	progress.threads = threads ? threads : share;
	progress.team = team;
	err = merge_save(&run, argv[0], path, &progress);
	progress_end(&bar);
	if (run)
		print_problems(run);
	if (!err && team_is_root(team))
		print_result(run, path);
	run_free(run);
	free(path);
	return err;
}

static int merge(int argc, char **argv)
{
	int err = alone ? MERGE_ALONE : merge_job_begin(argc == 1);

	return err == MERGE_ALONE ? merge_by(NULL, 0, argc, argv) : err;
}

const struct command command_merge = {
	.name = "merge",
	.synopsis = "[options] DIR",
	.help = "make one database of the profiles of all ranks",
	.options = options,
	.run = merge,
};
