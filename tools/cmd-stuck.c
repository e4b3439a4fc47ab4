/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd-stuck.c - copse stuck: what the ranks of a running job wait for. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyse/base/analysis.h"
#include "analyse/ends/ends.h"
#include "base/err.h"
#include "base/str.h"
#include "format/format.h"
#include "launch/alarm.h"
#include "launch/inquiry.h"
#include "launch/job.h"
#include "launch/live-run.h"
#include "launch/process.h"
#include "merge/inputs.h"
#include "merge/merge.h"
#include "run/run-build.h"
#include "run/run-join.h"
#include "tools/command.h"
#include "tools/host-look.h"
#include "tools/show.h"

/* Mutable: the command's options. */
static struct show show;
static double between = 2; /* seconds */
static const char *answer, *alarm_action;
static double patience = 60; /* seconds */

enum {
	PATIENCE_S = 20,      /* with other hosts */
	PATIENCE_OUTSIDE = 10 /* times that for a rank outside MPI */
};

static const struct option options[] = {
	{ 'f', "format", "NAME", "text, csv, json", parse_string, &show.format,
	  show_table_format },
	{ 0, "between", "SECONDS", "from the first look to the second (2)",
	  parse_real, &between },
	{ 0, "answer", "FOLDER", "for another host, which asks there",
	  parse_string, &answer },
	{ 0, "alarm", "ACTION",
	  "for copse run, which noticed that the job hangs", parse_string,
	  &alarm_action },
	{ 0, "patience", "SECONDS", "with that: how long ranks wait at least",
	  parse_real, &patience },
	{ 0, "table", "NAME", "csv: which of the tables (the first)",
	  parse_string, &show.table },
	{ 'o', "output", "FILE", "write there instead of standard output",
	  parse_string, &show.output },
	{ 0, "color", "auto|always|never", "text in colours", parse_string,
	  &show.colour },
	{ 0, "width", "N", "columns of text (the terminal's, or 100)",
	  show_set_width, &show.width },
	{ 0 },
};

static int show_stuck(const struct run *run)
{
	const struct run *const runs[] = { run, NULL };
	const struct analysis_options how = { 0 };
	const struct format *format = show_chosen(&show);
	struct report *report = NULL;
	int err = format ? analysis_find("ends")->run(&report, runs, &how)
			 : -EINVAL;

	if (!err)
		err = show_report(&show, format, report);
	report_free(report);
	return err;
}

/* What this host's ranks do, for one who asks on another host. */
static int answer_inquiry(const char *word)
{
	struct run *part = calloc(1, sizeof(*part));
	struct live_run live;
	char *path, *scratch;
	int err = live_run_find(&live, word);

	if (err) {
		free(part);
		return err;
	}
	path = inquiry_own_answer(answer, INQUIRY_STUCK);
	scratch = path ? str_format("%s.part", path) : NULL;
	err = part && scratch ? host_look(part, &live, between) : no_memory();
	if (!err)
		err = run_save_part(part, scratch);
	if (!err && rename(scratch, path))
		err = fail(-errno, "%s: %s", path, strerror(errno));
	run_free(part);
	live_run_fini(&live);
	free(scratch);
	free(path);
	return err;
}

static int join_answer(struct run *run, const struct inquiry *q, size_t host)
{
	char *path = inquiry_answer(q, host);
	struct run *part = NULL;
	int err;

	if (!path)
		return run_problem(run, q->hosts[host],
				   "did not answer: call copse stuck there");
	err = run_load(&part, path);
	if (!err)
		err = run_join_ends(run, part);
	run->ends.looked_ns = (uint64_t)(between * 1e9);
	run_free(part);
	free(path);
	return err;
}

static bool has_member(const struct run *run, int32_t rank)
{
	for (size_t i = 0; i < run->member_count; i++)
		if (run->ranks[i].rank == rank)
			return true;
	return false;
}

/* A rank that ended on a host where no other goes on: its file. */
static int join_ended_rank(struct run *run, const char *directory,
			   const struct input *input)
{
	int rank;
	char *path, left;
	struct run *part = NULL;
	int err = 0;

	if (input->live ||
	    sscanf(input->label, "rank-%d.h5%c", &rank, &left) != 1 ||
	    has_member(run, rank))
		return 0;
	path = input_path(input, directory);
	if (!path)
		return no_memory();
	if (!merge_open(&part, path, NULL) && part->world == run->world)
		err = run_join_ends(run, part);
	run_free(part);
	free(path);
	return err;
}

static int join_ended(struct run *run, const char *directory)
{
	struct inputs inputs = { 0 };
	int err = 0;

	if (run->member_count == run->world || inputs_list(&inputs, directory))
		return 0; /* it may be on hosts that cannot be reached */
	for (size_t i = 0; i < inputs.count && !err; i++)
		err = join_ended_rank(run, directory, &inputs.at[i]);
	inputs_fini(&inputs);
	return err;
}

/* The run's directory, as far as it is known. */
static const char *directory_of(const struct live_run *live, const char *word)
{
	return live->count ? live->at[0].note.output : word;
}

/* While the others look, so do we. */
static int look_everywhere(struct run *run, struct live_run *live,
			   const char *directory)
{
	struct inquiry q;
	int err = inquiry_open(&q, directory, live->count, between);

	if (!err && live->count)
		err = host_look(run, live, between);
	if (!err && q.folder)
		inquiry_wait(&q, between + PATIENCE_S);
	for (size_t i = 0; i < q.host_count && !err; i++)
		err = join_answer(run, &q, i);
	inquiry_close(&q);
	if (!err && run->rank_count)
		err = join_ended(run, directory);
	return err;
}

static bool is_directory(const char *word)
{
	struct stat st;

	return word && !stat(word, &st) && S_ISDIR(st.st_mode);
}

/* The run as it is on all hosts; to be freed, also after a failure. */
static int ask_all(struct run **to, const char *word)
{
	struct run *run = *to = calloc(1, sizeof(*run));
	struct live_run live;
	char *directory = NULL;
	int err = live_run_find(&live, word);

	/* It may go on on other hosts. */
	if (err == -ENOENT && word && !is_directory(word))
		word = directory = job_run_directory(word);
	if (err == -ENOENT && is_directory(word))
		err = 0;
	if (!err && !run)
		err = no_memory();
	if (!err)
		err = look_everywhere(run, &live, directory_of(&live, word));
	if (!err && !run->rank_count && !run->problem_count)
		err = fail(-ENOENT, "no run of yours that is %s goes on", word);
	live_run_fini(&live);
	free(directory);
	return err;
}

static int ask_and_show(const char *word)
{
	struct run *run;
	int err = ask_all(&run, word);

	if (!err)
		err = show_stuck(run);
	run_free(run);
	return err;
}

/*
 * The alarm of copse run: alarm.h.
 */

static int write_stuck(const struct run *run, const char *directory,
		       const char *name, const char *format)
{
	char *path = str_format("%s/%s", directory, name);
	int err = path ? 0 : no_memory();

	show.format = format;
	show.output = path;
	if (!err)
		err = show_stuck(run);
	show.output = NULL;
	free(path);
	return err;
}

static void call_command(const char *command, const char *directory)
{
	const char *const argv[] = { "/bin/sh", "-c", command, NULL };
	pid_t child;

	char *path = realpath(directory, NULL);

	setenv("COPSE_RUN", path ? path : directory, true);
	free(path);
	child = process_spawn(argv, STDOUT_FILENO);
	if (child > 0)
		waitpid(child, NULL, 0);
}

static int act_on_alarm(const struct run *run, const char *directory)
{
	int err = 0;

	if (*alarm_action)
		err = write_stuck(run, directory, "stuck.txt", "text");
	if (*alarm_action && !err)
		err = write_stuck(run, directory, "stuck.json", "json");
	if (*alarm_action && strcmp(alarm_action, "report") != 0 &&
	    strcmp(alarm_action, "end") != 0)
		call_command(alarm_action, directory);
	if (err)
		return err;
	return strcmp(alarm_action, "end") ? ALARM_RAISED : ALARM_END;
}

static bool is_alarming(const struct ends_judgement *j)
{
	return j->state == ENDS_STUCK ||
	       (j->state == ENDS_OUTSIDE &&
		(double)j->age_ns >= PATIENCE_OUTSIDE * patience * 1e9);
}

static void say_alarm(const struct ends_judgement *j)
{
	char age[32];

	phrase_time(age, (double)j->age_ns / 1e9);
	if (j->state == ENDS_STUCK)
		printf("copse run: this job seems to hang.\n");
	else
		printf("copse run: no rank has completed a call of MPI for "
		       "%s.\n",
		       age);
	fflush(stdout);
}

static int raise_alarm(const char *directory)
{
	struct ends_judgement judgement;
	struct run *run;
	int err = ask_all(&run, directory);

	if (!err)
		err = ends_judge(&judgement, run);
	if (!err && !is_alarming(&judgement))
		err = ALARM_NOT_YET;
	if (!err) {
		say_alarm(&judgement);
		err = show_stuck(run);
	}
	if (!err)
		err = act_on_alarm(run, directory);
	run_free(run);
	return err;
}

static int stuck_run(int argc, char **argv)
{
	if (argc > 1)
		return fail(-EINVAL, "one run at a time");
	if (between <= 0 || between > 600)
		return fail(-EINVAL, "--between wants seconds, up to 600");
	if (answer)
		return answer_inquiry(argv[0]);
	return alarm_action ? raise_alarm(argv[0]) : ask_and_show(argv[0]);
}

const struct command command_stuck = {
	.name = "stuck",
	.synopsis = "[options] [DIR|JOBID]",
	.help = "what the ranks of a running job wait for, and who is to blame",
	.options = options,
	.run = stuck_run,
};
