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

#include "base/blob.h"
#include "base/err.h"
#include "base/str.h"
#include "run/run.h"
#include "symbol/symbol.h"
#include "run/team.h"
#include "profile/store/store.h"
#include "tools/command.h"
#include "tools/merge-job.h"
#include "tools/pick.h"
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
	for (size_t i = 0; i < run->problem_count; i++) {
		const struct run_problem *p = &run->problems[i];
		char *text =
			str_format("%s: %s", str_at(&run->strings, p->source),
				   str_at(&run->strings, p->text));

		if (text)
			str_one_line(text);
		fprintf(stderr, "copse merge: %s\n",
			text ? text : "out of memory");
		free(text);
	}
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

/* The root's choice is that of all. */
static int pick_for_team(char **to, struct team *team, const char *word)
{
	struct blob words = { 0 };
	int err;

	*to = NULL;
	if (team_is_root(team))
		*to = pick_run(word, quiet ? NULL : "merge");
	if (!team)
		return *to ? 0 : -ENOMEM;
	if (*to)
		blob_put_text(&words, *to);
	err = team->share(team, &words);
	if (!err && !*to) {
		word = blob_get_text(&words);
		*to = word ? strdup(word) : NULL;
		err = *to ? 0 : no_memory();
	}
	blob_fini(&words);
	return err;
}

static int merge_one(struct team *team, unsigned int share,
		     const char *directory)
{
	struct progress bar;
	struct merge_progress progress = progress_start(&bar);
	struct run *run = NULL;
	char *path = output ? str_format("%s", output)
			    : str_format("%s/run.h5", directory);
	int err;

	if (!path)
		return no_memory();
	store_mind_signals();
	progress.threads = threads ? threads : share;
	progress.team = team;
	err = merge_save(&run, directory, path, &progress);
	progress_end(&bar);
	if (run)
		print_problems(run);
	if (!err && team_is_root(team))
		print_result(run, path);
	run_free(run);
	free(path);
	return err;
}

int merge_by(struct team *team, unsigned int share, int argc, char **argv)
{
	char *directory;
	int err;

	if (argc != 1)
		return fail(-EINVAL,
			    "one directory is wanted: copse merge DIR");
	if (!*argv[0])
		return fail(-EINVAL, "the directory's name is empty");
	err = set_names();
	if (!err)
		err = pick_for_team(&directory, team, argv[0]);
	if (err)
		return err;
	err = merge_one(team, share, directory);
	free(directory);
	return err;
}

static int run_merge(int argc, char **argv)
{
	int err = alone ? MERGE_ALONE : merge_job_begin(argc == 1);

	return err == MERGE_ALONE ? merge_by(NULL, 0, argc, argv) : err;
}

const struct command command_merge = {
	.name = "merge",
	.synopsis = "[options] DIR",
	.help = "make one database of the profiles of all ranks",
	.options = options,
	.run = run_merge,
};
