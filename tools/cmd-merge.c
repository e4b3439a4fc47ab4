/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd-merge.c - copse merge: the rank files of a directory become run.h5. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/str.h"
#include "merge/run.h"
#include "tools/command.h"
#include "tools/progress.h"

/* Mutable: the command's options. */
static const char *output;
static bool quiet;
static unsigned int threads;

static const struct option options[] = {
	{ 'o', "output", "FILE", "write FILE instead of DIR/run.h5", set_string,
	  &output },
	{ 't', "threads", "N", "work with N threads, not one for each core",
	  set_count, &threads },
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

static int merge(int argc, char **argv)
{
	struct progress bar;
	struct merge_progress progress = progress_start(&bar);
	struct run *run = NULL;
	char *path;
	int err;

	if (argc != 1)
		return fail(-EINVAL,
			    "one directory is wanted: copse merge DIR");
	path = output ? str_format("%s", output)
		      : str_format("%s/run.h5", argv[0]);
	if (!path)
		return fail(-ENOMEM, "out of memory");
	progress.threads = threads;
	err = merge_save(&run, argv[0], path, &progress);
	progress_end(&bar);
	if (run)
		print_problems(run);
	if (!err)
		print_result(run, path);
	run_free(run);
	free(path);
	return err;
}

const struct command command_merge = {
	.name = "merge",
	.synopsis = "[options] DIR",
	.help = "make one database of the profiles of all ranks",
	.options = options,
	.run = merge,
};
