/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd-recover.c - copse recover: profiles whose `copse run` was killed. */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/numbered.h"
#include "launch/harvest.h"
#include "launch/livedir.h"
#include "launch/output.h"
#include "tools/command.h"
#include "tools/out.h"

/* Mutable: the command's options. */
static bool list, all, removing;
static double least_age = -1; /* in seconds; below 0: any */

static const struct age_unit {
	const char *name;
	double seconds;
} units[] = {
	{ "s", 1 },
	{ "m", 60 },
	{ "h", 60 * 60 },
	{ "d", 24 * 60 * 60 },
};

enum {
	UNITS = sizeof(units) / sizeof(*units)
};

static int set_age(void *to, const char *text)
{
	char *unit;
	double number = strtod(text, &unit);

	for (size_t i = 0; i < UNITS; i++)
		if (unit != text && number >= 0 &&
		    !strcmp(unit, units[i].name)) {
			*(double *)to = number * units[i].seconds;
			return 0;
		}
	return fail(-EINVAL,
		    "--older %s: a number and its unit, s, m, h or d, as in 7d",
		    text);
}

static const struct option options[] = {
	{ 0, "list", NULL, "show what is left and do nothing; as with no DIR",
	  parse_flag, &list },
	{ 0, "all", NULL, "of all directories", parse_flag, &all },
	{ 0, "remove", NULL, "remove it; no profile is written", parse_flag,
	  &removing },
	{ 0, "older", "AGE", "only what is at least so old: 90m, 12h, 7d",
	  set_age, &least_age },
	{ 0 },
};

struct live_search {
	const char *only; /* the output directory, absolute, and its numbered
			     ones; NULL: all */
	size_t found, running, failures;
	uint64_t bytes;
};

struct left_over {
	const char *path;
	struct live_note note; /* without an output: not readable */
	struct live_usage usage;
	bool in_use;   /* its `copse run` runs */
	bool lived_in; /* a process that is measured there, too */
};

static double bytes_to_mib(uint64_t bytes)
{
	return (double)bytes / (1 << 20);
}

static double left_over_age(const struct left_over *l)
{
	return difftime(time(NULL), l->usage.changed);
}

static const char *text_age(char to[32], double seconds)
{
	size_t i = UNITS - 1;

	while (i && seconds < units[i].seconds)
		i--;
	snprintf(to, 32, "%.0f %s", floor(seconds / units[i].seconds),
		 units[i].name);
	return to;
}

/* Whose it is. */
static void print_job(const struct left_over *l)
{
	if (*l->note.output)
		printf("rank %d of %s: %s\n", l->note.rank, l->note.output,
		       l->note.command);
	else
		printf("the record of its job cannot be read\n");
}

static void print_inhabitants(const char *path)
{
	char *who = livedir_inhabitants(path, NULL);

	printf(", %s", who && *who ? who : "a process");
	free(who);
}

static void show_left_over(struct live_search *s, const struct left_over *l)
{
	bool runs = l->in_use || l->lived_in;
	char text[32];

	printf("%-8s %6s %8.2f MiB  %s", runs ? "runs" : "left",
	       text_age(text, left_over_age(l)), bytes_to_mib(l->usage.bytes),
	       l->path);
	if (l->lived_in && !l->in_use)
		print_inhabitants(l->path);
	printf("\n         ");
	print_job(l);
	s->found++;
	s->running += runs;
	if (!runs)
		s->bytes += l->usage.bytes;
}

static void say_failed(struct live_search *s)
{
	fprintf(stderr, "copse recover: %s\n", fail_reason());
	s->failures++;
}

static void discard_left_over(struct live_search *s, const struct left_over *l)
{
	int err = 0;

	if (l->lived_in) {
		s->running++;
		return;
	}
	s->found++;
	livedir_remove(l->path);
	if (!access(l->path, F_OK))
		err = fail(-EIO, "cannot remove %s", l->path);
	printf("%-8s ", err ? "failed" : "removed");
	print_job(l);
	fflush(out_below(stdout));
	if (err)
		say_failed(s);
}

/* The job's directory, unless another job's has its name by now. */
static int find_recovered_output(struct output *o, const struct live_note *note)
{
	struct job job = { .rank = note->rank, .size = note->size };

	snprintf(job.key, sizeof(job.key), "%s", note->key);
	gethostname(job.host, sizeof(job.host) - 1);
	return output_find(o, note->output, &job);
}

static const char *recovery_word(int err, size_t profiles)
{
	if (!err)
		return "got";
	return profiles ? "partly" : "failed";
}

static void say_still_running(const char *path)
{
	char *who = livedir_inhabitants(path, NULL);

	printf("         still measured: %s; its profile until now is written; "
	       "call again when it has ended\n",
	       who && *who ? who : "a process");
	free(who);
}

static void harvest_left_over(struct live_search *s, const struct left_over *l)
{
	const struct live_note *note = &l->note;
	struct output output = { .fd = -1 };
	struct harvest h = { .live_dir = l->path,
			     .output = &output,
			     .key = note->key,
			     .batch = note->batch,
			     .rank = note->rank,
			     .parent = note->parent,
			     .file = -1 };
	int err = find_recovered_output(&output, note);

	if (!err)
		err = finish_harvest(&h);
	harvest_left_out(&h);
	printf("%-8s rank %d of %s, %zu profile%s: %s\n",
	       recovery_word(err, h.profiles), note->rank,
	       *output.path ? output.path : note->output, h.profiles,
	       h.profiles == 1 ? "" : "s", note->command);
	fflush(out_below(stdout));
	if (err) {
		say_failed(s);
	} else if (livedir_lived_in(l->path)) {
		say_still_running(l->path);
		s->running++;
	} else {
		livedir_remove(l->path);
	}
	harvest_fini(&h);
	output_close(&output);
}

/* Its parent was killed before it wrote the note, or something is wrong. */
static void keep_nameless(struct live_search *s, const struct left_over *l)
{
	struct live_file *files;

	if (!livedir_files(l->path, &files)) {
		livedir_remove(l->path);
		return;
	}
	free(files);
	printf("%-8s %s: ", "failed", l->path);
	print_job(l);
	fflush(out_below(stdout));
	fail(-EINVAL, "%s: where its profiles belong is not known", l->path);
	say_failed(s);
}

static void collect_left_over(struct live_search *s, const struct left_over *l)
{
	s->found++;
	if (*l->note.output)
		harvest_left_over(s, l);
	else
		keep_nameless(s, l);
}

static bool is_wanted_left_over(const struct live_search *s,
				const struct left_over *l)
{
	if (*l->note.output)
		return !s->only || numbered_is(l->note.output, s->only);
	/* Without a note it is ours by its name, and no directory's. */
	return !s->only && l->note.parent_start;
}

static int visit_live(const char *path, void *to)
{
	struct left_over l = { .path = path, .usage = livedir_usage(path) };
	struct live_search *s = to;

	if (!l.usage.changed) /* it is gone meanwhile */
		return 0;
	livedir_note(path, &l.note);
	if (!is_wanted_left_over(s, &l) || left_over_age(&l) < least_age)
		return 0;
	l.in_use = livedir_in_use(&l.note);
	l.lived_in = livedir_lived_in(path);
	if (list)
		show_left_over(s, &l);
	else if (l.in_use)
		s->running++;
	else if (removing)
		discard_left_over(s, &l);
	else
		collect_left_over(s, &l);
	return 0;
}

/* Of a directory that is not there any more: it will be made again. */
static int name_below(char to[PATH_MAX], const char *dir)
{
	char above[PATH_MAX], last[PATH_MAX];
	size_t length;

	snprintf(above, sizeof(above), "%s", dir);
	snprintf(last, sizeof(last), "%s", dir);
	if (!realpath(dirname(above), to))
		return fail(-errno, "%s: %s", dir, strerror(errno));
	length = strlen(to);
	snprintf(to + length, PATH_MAX - length, "/%s", basename(last));
	return 0;
}

/* As notes of jobs have its name. */
static int absolute_name(char to[PATH_MAX], const char *dir, bool *missing)
{
	bool known = realpath(dir, to);
	struct stat st;

	*missing = !known && errno == ENOENT;
	if (*missing)
		return name_below(to, dir);
	if (!known)
		return fail(-errno, "%s: %s", dir, strerror(errno));
	if (stat(to, &st) || !S_ISDIR(st.st_mode))
		return fail(-ENOTDIR, "%s: %s", dir, strerror(ENOTDIR));
	return 0;
}

static int check_usage(int words)
{
	if (words > 1)
		return fail(-EINVAL, "one directory at most");
	if (words && all)
		return fail(-EINVAL, "--all or a directory, not both");
	if (list && removing)
		return fail(-EINVAL, "--list or --remove, not both");
	if (removing && !words && !all && least_age < 0)
		return fail(-EINVAL, "--remove of what? A directory, --all, or "
				     "--older AGE");
	if (!words && !all && !removing)
		list = true;
	return 0;
}

static void conclude_recovery(const struct live_search *s, const char *dir)
{
	if (!s->found)
		printf("nothing of a killed run is left on this host%s%s\n",
		       dir ? " for " : "", dir ? dir : "");
	else if (list)
		printf("%zu left, %.2f MiB\n", s->found - s->running,
		       bytes_to_mib(s->bytes));
	if (s->running)
		printf("%zu still running\n", s->running);
	if (list && s->found > s->running)
		printf("to get the profiles: copse recover --all\n"
		       "to remove them: copse recover --remove --all\n");
	if (s->failures)
		fprintf(stderr,
			"copse recover: profiles that could not be written "
			"remain and take memory; to remove them: copse recover "
			"--remove DIR, or --older AGE\n");
}

static int recover_runs(int argc, char **argv)
{
	struct live_search s = { 0 };
	char only[PATH_MAX];
	bool missing = false;
	int err = check_usage(argc);

	if (!err && argc) {
		err = absolute_name(only, argv[0], &missing);
		s.only = only;
	}
	if (!err)
		err = livedir_each(visit_live, &s);
	if (err)
		return err;
	if (missing && !s.found && !s.running)
		return fail(-ENOENT, "%s: %s", argv[0], strerror(ENOENT));
	conclude_recovery(&s, argv[0]);
	return s.failures ? 1 : 0;
}

const struct command command_recover = {
	.name = "recover",
	.synopsis = "[options] [DIR]",
	.help = "find on this host the profiles of runs that were killed",
	.options = options,
	.run = recover_runs,
};
