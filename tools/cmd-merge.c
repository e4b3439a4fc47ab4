/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cmd-merge.c - copse merge: the rank files of a directory become run.h5.  Of
 * the processes of a job the first merges, and the others end at once.
 */
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "launch/job.h"
#include "merge/merge.h"
#include "symbol/symbol.h"
#include "profile/store/store.h"
#include "tools/command.h"
#include "tools/pick.h"
#include "tools/progress.h"

/* Mutable: the command's options. */
static const char *output;
static bool quiet, alone;
static unsigned int threads;
static const char *loops;
static unsigned int fetch = UINT_MAX;

static const struct option options[] = {
	{ 'o', "output", "FILE", "write FILE instead of DIR/run.h5",
	  parse_string, &output },
	{ 't', "threads", "N", "work with N threads, not one for each core",
	  parse_count, &threads },
	{ 0, "alone", NULL, "merge in this process, also as one of a job's",
	  parse_flag, &alone },
	{ 0, "loops", "on|off", "look for loops in machine code, or not",
	  parse_string, &loops },
	{ 0, "cache", "DIR|off", "keep names in DIR, or do not", parse_string,
	  &symbol_options.cache },
	{ 0, "fetch", "SECONDS", "how long debuginfod may take", parse_count,
	  &fetch },
	{ 'q', "quiet", NULL, "say nothing when all is well", parse_flag,
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

/*
 * A launcher binds each of a job's processes to a core, and this one does the
 * work of all: it may use all cores of the host that are the job's.  Slurm
 * says how many they are also where nothing keeps the job to them.
 */
static void use_cores_of_job(void)
{
	const char *slurms = getenv("SLURM_CPUS_ON_NODE");
	unsigned int cores = slurms ? (unsigned int)atoi(slurms) : 0;
	cpu_set_t set;

	memset(&set, 0xff, sizeof(set));
	sched_setaffinity(0, sizeof(set), &set);
	if (threads || sched_getaffinity(0, sizeof(set), &set))
		return;
	threads = (unsigned int)CPU_COUNT(&set);
	if (cores && cores < threads)
		threads = cores;
}

/* False: another process of the job merges. */
static bool is_merging_process(void)
{
	struct job job;

	job_init(&job);
	if (alone || !job.launched)
		return true;
	if (job.rank > 0)
		return false;
	use_cores_of_job();
	if (job.size > 1 && !quiet)
		fprintf(stderr,
			"copse merge: the first of %d processes merges, with "
			"%u thread%s; the others have ended\n",
			job.size, threads, threads == 1 ? "" : "s");
	return true;
}

static int merge_one(const char *directory)
{
	struct progress bar;
	struct merge_progress progress = progress_start(&bar, NULL);
	struct run *run = NULL;
	char *path = output ? str_format("%s", output)
			    : str_format("%s/run.h5", directory);
	int err;

	if (!path)
		return no_memory();
	store_mind_signals();
	progress.threads = threads;
	err = merge_save(&run, directory, path, &progress);
	progress_end(&bar);
	if (run)
		print_problems(run);
	if (!err)
		print_result(run, path);
	run_free(run);
	free(path);
	return err;
}

static int run_merge(int argc, char **argv)
{
	char *directory;
	int err;

	if (!is_merging_process())
		return 0;
	if (argc != 1)
		return fail(-EINVAL,
			    "one directory is wanted: copse merge DIR");
	if (!*argv[0])
		return fail(-EINVAL, "the directory's name is empty");
	err = set_names();
	if (err)
		return err;
	directory = pick_run(argv[0], quiet ? NULL : "merge");
	if (!directory)
		return -ENOMEM;
	err = merge_one(directory);
	free(directory);
	return err;
}

const struct command command_merge = {
	.name = "merge",
	.synopsis = "[options] DIR",
	.help = "make one database of the profiles of all ranks",
	.options = options,
	.run = run_merge,
};
