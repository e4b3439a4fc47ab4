/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd-export.c - copse export: all of a run, for other programs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/spelling.h"
#include "base/str.h"
#include "format/format.h"
#include "merge/merge.h"
#include "tools/command.h"
#include "tools/out.h"
#include "tools/pick.h"
#include "tools/show.h"
#include "tools/progress.h"

/* Mutable: the command's options. */
static struct format_choice choice;
static const char *rank, *node, *output;

static const struct option options[] = {
	{ 'm', "metric", "NAME",
	  "values: only this metric; others: what they show first (the "
	  "sampled)",
	  parse_string, &choice.metric, show_metric },
	{ 0, "rank", "LIST",
	  "only these ranks, or processes without MPI: 0-3,17, or all",
	  parse_string, &rank },
	{ 0, "node", "N", "values: only this context, by its number in 'nodes'",
	  parse_string, &node },
	{ 'o', "output", "FILE",
	  "write there instead of standard output; otf2: a new directory",
	  parse_string, &output },
	{ 0 },
};

static bool is_export(const struct format *format)
{
	return format->write_run || format->write_directory;
}

static int unknown_export(const char *word)
{
	char known[128] = "";
	struct spelling near;
	size_t used = 0;

	spelling_begin(&near, word);
	for (size_t i = 0; formats[i] && used < sizeof(known); i++) {
		if (!is_export(formats[i]))
			continue;
		spelling_try(&near, formats[i]->name);
		used += (size_t)snprintf(known + used, sizeof(known) - used,
					 "%s%s", used ? ", " : "",
					 formats[i]->name);
	}
	return fail(-EINVAL, "there is no '%s' to export%s there are %s", word,
		    spelling_hint(&near), known);
}

static int write_run(const struct format *what, const struct run *run)
{
	FILE *to;
	int err;

	if (what->write_directory)
		return what->write_directory(output, run, &choice);
	to = output ? fopen(output, "w") : out_data();
	if (!to)
		return fail(-errno, "cannot write %s: %s", output,
			    strerror(errno));
	err = what->write_run(to, run, &choice);
	if (!err && (fflush(to) || ferror(to)))
		err = fail(-EIO, "cannot write %s: %s",
			   output ? output : "the export", strerror(errno));
	if (output && fclose(to) && !err)
		err = fail(-EIO, "cannot write %s: %s", output,
			   strerror(errno));
	return err;
}

static int set_choice(void)
{
	choice.by_rank = rank;
	choice.by_node = node;
	if (node && !str_to_uint(node, &choice.node))
		return fail(-EINVAL, "node wants a number, not '%s'", node);
	return 0;
}

/* What would be without effect is not passed over in silence. */
static int check_choice(const struct format *what)
{
	if (choice.metric && !what->by_metric)
		return fail(-EINVAL, "--metric is not for %s", what->name);
	if (rank && !what->by_rank)
		return fail(-EINVAL, "--rank is not for %s", what->name);
	if (node && !what->by_node)
		return fail(-EINVAL, "--node is for values alone, not for %s",
			    what->name);
	if (what->write_directory && !output)
		return fail(-EINVAL,
			    "%s is a directory with files; name it with -o",
			    what->name);
	if (what->binary && !output && isatty(STDOUT_FILENO))
		return fail(-EINVAL,
			    "%s is not for a terminal; name a file with -o",
			    what->name);
	return 0;
}

/* Who was chosen is told, unless it is everybody, or the user did. */
static int choose_ranks(struct rank_choice *ranks, const struct format *what,
			const struct run *run)
{
	int err = 0;
	char *text;

	if (rank)
		return rank_choice_named(ranks, run, rank);
	if (what->apart)
		err = rank_choice_telling(ranks, run, what->apart);
	if (err || !ranks->count || ranks->all)
		return err;
	text = rank_choice_text(ranks, run);
	if (!text)
		return no_memory();
	fprintf(stderr,
		"copse export: shown apart, of %zu %s: %s; --rank chooses "
		"others\n",
		run->rank_count, run->world ? "ranks" : "processes", text);
	free(text);
	return 0;
}

static int export_run(int argc, char **argv)
{
	const struct format *what;
	struct rank_choice ranks = { 0 };
	struct merge_progress progress;
	struct run *run = NULL;
	struct progress bar;
	char *path;
	int err = set_choice();

	if (err)
		return err;
	if (argc != 2)
		return fail(-EINVAL,
			    "what, and of which profile? copse export nodes "
			    "APP.copse");
	what = format_find(argv[0]);
	if (!what || !is_export(what))
		return unknown_export(argv[0]);
	err = check_choice(what);
	if (err)
		return err;
	path = pick_run(argv[1], "export");
	progress = progress_start(&bar, NULL);
	err = path ? merge_open(&run, path, &progress) : -ENOMEM;
	progress_end(&bar);
	free(path);
	if (err)
		return err == -EINVAL ? -EIO : err;
	choice.ranks = &ranks;
	err = choose_ranks(&ranks, what, run);
	if (!err)
		err = write_run(what, run);
	rank_choice_fini(&ranks);
	run_free(run);
	return err;
}

static const char *export_word(size_t i, const char **help)
{
	for (const struct format *const *f = formats; *f; f++) {
		if (!is_export(*f) || i--)
			continue;
		*help = (*f)->help;
		return (*f)->name;
	}
	return NULL;
}

const struct command command_export = {
	.words = "what",
	.word = export_word,
	.name = "export",
	.synopsis = "WHAT [options] DIR|run.h5",
	.help = "all of a run for other programs: tables, flame graphs, traces",
	.options = options,
	.run = export_run,
};
