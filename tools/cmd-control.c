/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd-control.c - copse control: what is asked of a run that goes on. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analyse/base/phrase.h"
#include "base/err.h"
#include "base/str.h"
#include "launch/live-run.h"
#include "merge/merge.h"
#include "tools/command.h"

/* Mutable: the command's options. */
static const char *output;

static const struct option options[] = {
	{ 'o', "output", "DIR",
	  "snapshot: a directory that is made (NAME.at-TIME.copse)",
	  parse_string, &output },
	{ 0 },
};

/* "app.copse" becomes "app.at-20261129-143000.copse"; to be freed. */
static char *name_of_snapshot(const char *run)
{
	static const char suffix[] = ".copse";
	size_t length = strlen(run);
	time_t now = time(NULL);
	char when[32];
	struct tm tm;

	if (length > strlen(suffix) &&
	    !strncmp(run + length - strlen(suffix), suffix, strlen(suffix)))
		length -= strlen(suffix);
	strftime(when, sizeof(when), "%Y%m%d-%H%M%S", localtime_r(&now, &tm));
	return str_format("%.*s.at-%s%s", (int)length, run, when, suffix);
}

static int save_snapshot(struct live_run *live, const char *directory)
{
	struct run *run = NULL;
	char count[32];
	char *file = str_format("%s/run.h5", directory);
	int err = file ? 0 : no_memory();

	if (!err && mkdir(directory, 0777))
		err = fail(-errno, "cannot create %s: %s", directory,
			   strerror(errno));
	if (!err) {
		err = live_run_copy(live, directory);
		if (err == -ENODATA)
			rmdir(directory);
	}
	if (!err)
		err = merge_save(&run, directory, file, NULL);
	if (run)
		printf("%s: %s; copse report %s\n", directory,
		       phrase_plural(count, run->rank_count, "process"),
		       directory);
	run_free(run);
	free(file);
	return err;
}

static int make_snapshot(const char *word)
{
	struct live_run live;
	int err = live_run_find(&live, word);
	char *name;

	if (err)
		return err;
	name = output ? strdup(output)
		      : name_of_snapshot(live.at[0].note.output);
	err = name ? save_snapshot(&live, name) : no_memory();
	free(name);
	live_run_fini(&live);
	return err;
}

static int control_run(int argc, char **argv)
{
	const char *action = argc ? argv[argc - 1] : "";

	if (argc < 1 || argc > 2 || strcmp(action, "snapshot") != 0)
		return fail(-EINVAL, "which run, and what: copse control DIR "
				     "snapshot");
	return make_snapshot(argc > 1 ? argv[0] : NULL);
}

const struct command command_control = {
	.name = "control",
	.synopsis = "[options] [DIR|JOBID] snapshot",
	.help = "a profile of what a running job has done so far",
	.options = options,
	.run = control_run,
};
