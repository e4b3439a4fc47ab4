/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cmd-top.c - copse top: what the ranks of a running job do, again and again.
 *
 * What is shown is the difference of two looks (job-watch.h).
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analyse/compare/job-metrics.h"
#include "analyse/compare/recent.h"
#include "base/err.h"
#include "format/format.h"
#include "run/run.h"
#include "tools/command.h"
#include "tools/job-watch.h"
#include "tools/live-screen.h"
#include "tools/metrics-file.h"
#include "tools/out.h"
#include "tools/show.h"

#define FIRST_DELAY 0.4 /* seconds: then there is something to see */
#define LEAST_DELAY 0.1
#define MOST_DELAY  3600.0

enum {
	ROWS = 10,  /* of ranks and of paths, where no screen limits them */
	LINES = 10, /* of the screen that are no rows of tables */
	LEAST_ROWS = 2
};

/* Mutable: the command's options. */
static struct show show;
static double delay = 2, patience;
static unsigned int limit;
static bool once, stream;
static const char *metrics, *answer, *word;
static char *one;

/* Mutable: a signal sets it. */
static volatile sig_atomic_t told_to_stop;

static const struct option options[] = {
	{ 'd', "delay", "SECONDS", "from one look to the next (2)", parse_real,
	  &delay },
	{ 'n', "limit", "N", "ranks and call paths to show (as many as fit)",
	  parse_count, &limit },
	{ 0, "rank", "N", "this rank or process alone, of this host",
	  parse_string, &one },
	{ 0, "in", "WORD",
	  "call paths with it: a function, a phase; how long each rank is "
	  "there",
	  parse_string, &word },
	{ 0, "once", NULL, "two looks, what came between them, and the end",
	  parse_flag, &once },
	{ 0, "stream", NULL, "a line of JSON for each look", parse_flag,
	  &stream },
	{ 0, "metrics", "FILE",
	  "for Prometheus, written anew after each look, until the run ends",
	  parse_string, &metrics },
	{ 0, "answer", "FOLDER", "for another host, which asks there",
	  parse_string, &answer },
	{ 0, "wait", "SECONDS", "until there is such a run (0)", parse_real,
	  &patience },
	{ 'f', "format", "NAME", "with --once: text, csv, json", parse_string,
	  &show.format, show_table_format },
	{ 0, "table", "NAME", "csv: which of the tables (the first)",
	  parse_string, &show.table },
	{ 0, "color", "auto|always|never", "text in colours", parse_string,
	  &show.colour },
	{ 0, "width", "N", "columns of text (the terminal's, or 100)",
	  show_set_width, &show.width },
	{ 0 },
};

static int report_of_watch(struct report **to, const struct job_watch *w,
			   size_t rows)
{
	struct recent_summary summary;
	char *silent = job_watch_silent(w);
	int err = job_watch_summary(&summary, w);

	*to = NULL;
	if (!err)
		err = recent_report(to, &summary, rows);
	if (!err && w->only.one && !summary.row_count)
		report_line(*to, "%s %llu is not on this host.",
			    summary.world ? "Rank" : "Process",
			    (unsigned long long)w->only.rank);
	if (!err && job_watch_chooses(w) && w->others.host_count)
		report_line(*to, "Of this host; others know sums alone.");
	if (!err && silent)
		report_line(*to, "Hosts that do not answer: %s.", silent);
	recent_summary_fini(&summary);
	free(silent);
	return err;
}

static void sleep_seconds(double seconds)
{
	struct timespec left = { (time_t)seconds,
				 (long)(fmod(seconds, 1) * 1e9) };

	while (nanosleep(&left, &left) && errno == EINTR && !told_to_stop)
		;
}

static int show_once(struct job_watch *w)
{
	const struct format *format = show_chosen(&show);
	struct report *report = NULL;
	int err = format ? job_watch_first(w) : -EINVAL;

	do {
		if (!err)
			sleep_seconds(delay);
		if (!err)
			err = job_watch_look(w);
	} while (!err && job_watch_expects(w));
	if (!err)
		err = report_of_watch(&report, w, limit ? limit : ROWS);
	if (!err)
		err = show_report(&show, format, report);
	report_free(report);
	return err;
}

/* In that format; to be freed. */
static int report_text_of(char **to, const struct job_watch *w,
			  const struct format *format, size_t rows,
			  const struct format_style *style)
{
	struct report *report = NULL;
	int err = report_of_watch(&report, w, rows);
	size_t size;
	FILE *text;

	*to = NULL;
	text = err ? NULL : open_memstream(to, &size);
	if (!err)
		err = text ? format->write_report(text, report, style)
			   : no_memory();
	if (text && fclose(text) && !err)
		err = no_memory();
	report_free(report);
	return err;
}

/* JSON has no line feeds but between its words. */
static int put_look_line(const struct job_watch *w)
{
	const struct format_style style = { .utf8 = true };
	char *text;
	int err = report_text_of(&text, w, format_find("json"),
				 limit ? limit : SIZE_MAX, &style);

	for (char *c = text; c && *c; c++)
		if (*c == '\n')
			*c = ' ';
	if (!err && (puts(text) < 0 || fflush(stdout)))
		err = fail(-EIO, "cannot write: %s", strerror(errno));
	free(text);
	return err;
}

static int show_stream(struct job_watch *w)
{
	int err = job_watch_first(w);

	while (!err) {
		sleep_seconds(delay);
		err = job_watch_look(w);
		if (err == -ENOENT || err == -ENODATA)
			return 0;
		if (!err)
			err = put_look_line(w);
	}
	return err;
}

/*
 * A file for a monitoring system: it goes when the run ends, or a signal ends
 * this command.
 */

static void on_stop(int signum)
{
	(void)signum;
	told_to_stop = 1;
}

static int refresh_metrics(const struct job_watch *w)
{
	const char *end = strrchr(w->name, '/');
	const char *name = end ? end + 1 : w->name;
	struct job_metric all[JOB_METRICS];
	size_t count;
	int err = job_metrics(all, &count, w->before, w->now,
			      w->now_s - w->before_s);

	return err ? err
		   : metrics_file_write(metrics, w->now, name, all, count);
}

static int keep_metrics(struct job_watch *w)
{
	const struct sigaction stop = { .sa_handler = on_stop };
	int err;

	w->alone = true;
	err = job_watch_first(w);
	if (err)
		return err;
	sigaction(SIGTERM, &stop, NULL);
	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGHUP, &stop, NULL);
	while (!err && !told_to_stop) {
		sleep_seconds(delay);
		if (!told_to_stop)
			err = job_watch_look(w);
		if (!err && !told_to_stop)
			err = refresh_metrics(w);
	}
	if (w->before) /* it was written */
		unlink(metrics);
	return err == -ENOENT || err == -ENODATA ? 0 : err;
}

static size_t rows_of_screen(void)
{
	unsigned int rows = screen_size().rows;
	unsigned int half = rows > LINES ? (rows - LINES) / 2 : 0;

	return limit ? limit : half > LEAST_ROWS ? half : LEAST_ROWS;
}

static int draw_screen(const struct job_watch *w, bool held)
{
	struct format_style style;
	char *text, foot[100];
	int err;

	page_init(&style, stdout);
	style.width = screen_size().columns;
	style.names = 0;
	if (show.colour && strcmp(show.colour, "auto") != 0)
		style.colour = !strcmp(show.colour, "always");
	err = report_text_of(&text, w, formats[0], rows_of_screen(), &style);
	snprintf(foot, sizeof(foot),
		 "q: end  space: %s  + -: each %.3g s  r: a rank  "
		 "p: call paths  a: all",
		 held ? "go on" : "hold", delay);
	if (!err)
		screen_show(text, foot);
	free(text);
	return err;
}

/* A number, and no more; false: it is something else. */
static bool choose_rank(struct recent_choice *only, const char *text)
{
	char *end;
	unsigned long long number = strtoull(text, &end, 10);

	if (*text < '0' || *text > '9' || *end)
		return false;
	only->one = true;
	only->rank = number;
	return true;
}

/* From the keys. */
static void choose_by_key(struct job_watch *w, int key)
{
	static char chosen[80];
	char text[sizeof(chosen)];

	if (key == 'a')
		w->only = (struct recent_choice){ 0 };
	else if (key == 'r' && screen_ask("rank: ", text, sizeof(text)))
		w->only.one = choose_rank(&w->only, text);
	else if (key == 'p' &&
		 screen_ask("call paths with: ", text, sizeof(text)))
		w->only.word = *text ? strcpy(chosen, text) : NULL;
}

/* What a key asks for; false: the end. */
static bool obey_key(struct job_watch *w, int key, bool *held)
{
	choose_by_key(w, key);
	if (key == ' ')
		*held = !*held;
	else if (key == '+' && delay < MOST_DELAY)
		delay *= 2;
	else if (key == '-' && delay > LEAST_DELAY)
		delay /= 2;
	return key != 'q';
}

/* Until the next look is due; false: the end. */
static bool watch_keys(struct job_watch *w, bool *held, double until)
{
	for (;;) {
		double left = until - job_watch_clock();
		int key;

		if (left <= 0 && !*held)
			return true;
		key = screen_key(*held ? MOST_DELAY : left);
		if (!obey_key(w, key, held))
			return false;
		/* Not when the next look is due, which draws it anew. */
		if (w->before && (*held || job_watch_clock() < until))
			draw_screen(w, *held);
	}
}

static int show_screen(struct job_watch *w)
{
	double due = job_watch_clock() + FIRST_DELAY;
	bool held = false;
	int err = job_watch_first(w);

	if (err)
		return err;
	screen_begin();
	while (!err && watch_keys(w, &held, due)) {
		due = job_watch_clock() + delay;
		err = job_watch_look(w);
		if (!err)
			err = draw_screen(w, held);
	}
	screen_end();
	if (err == -ENOENT || err == -ENODATA) {
		printf("The run has ended.\n");
		return 0;
	}
	return err;
}

static int answer_top(struct job_watch *w)
{
	w->alone = true;
	return job_watch_answer(w, answer);
}

static int top_run(int argc, char **argv)
{
	struct job_watch w = { .word = argv[0],
			       .delay = delay,
			       .patience = patience,
			       .only.word = word };
	int err;

	if (argc > 1)
		return fail(-EINVAL, "one run at a time");
	if (one && !choose_rank(&w.only, one))
		return fail(-EINVAL, "--rank wants a number, not %s", one);
	if (!(delay >= LEAST_DELAY && delay <= MOST_DELAY))
		return fail(-EINVAL, "--delay wants seconds, %g to %g",
			    LEAST_DELAY, MOST_DELAY);
	if (answer)
		err = answer_top(&w);
	else if (metrics)
		err = keep_metrics(&w);
	else if (stream)
		err = show_stream(&w);
	else if (once || show.format || !screen_is_possible())
		err = show_once(&w);
	else
		err = show_screen(&w);
	job_watch_fini(&w);
	return err;
}

const struct command command_top = {
	.name = "top",
	.synopsis = "[options] [DIR|JOBID]",
	.help = "what the ranks of a running job do, again and again",
	.options = options,
	.run = top_run,
};
