/* SPDX-License-Identifier: BSD-3-Clause */
/* job-watch.c - see job-watch.h. */
#include "tools/job-watch.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "analyse/compare/recent-summary.h"
#include "base/err.h"
#include "base/str.h"
#include "base/timebase.h"
#include "launch/job.h"
#include "launch/live-run.h"
#include "run/run.h"
#include "tools/host-look.h"

#define ANSWER_S 10.0 /* other hosts have begun to answer by then */
#define ASKED_S  30.0 /* who does not ask for so long has gone */
#define SPARE    20   /* times a look's CPU time, between two */
#define STEP_NS  250000000

double job_watch_clock(void)
{
	return (double)timebase_clock(CLOCK_MONOTONIC) / 1e9;
}

static bool is_directory_of_run(const char *word)
{
	struct stat st;

	return word && !stat(word, &st) && S_ISDIR(st.st_mode) &&
	       inquiry_goes_on(word);
}

/* The directory of a run that has no process on this host; or NULL. */
static char *run_elsewhere(const char *word)
{
	char *directory = NULL;

	if (is_directory_of_run(word))
		return realpath(word, NULL);
	if (word)
		directory = job_run_directory(word);
	if (is_directory_of_run(directory))
		return directory;
	free(directory);
	return NULL;
}

/* On this host. */
static int look_here(struct job_watch *w)
{
	struct live_run live;
	struct run *run = NULL;
	double at = job_watch_clock();
	int err = live_run_find(&live, w->word);

	if (err)
		return err;
	err = host_run(&run, &live, false);
	if (!w->name)
		w->name = strdup(live.at[0].note.output);
	live_run_fini(&live);
	if (!err && !w->name)
		err = no_memory();
	if (err) {
		run_free(run);
		return err;
	}
	run_free(w->before);
	w->before = w->now;
	w->before_s = w->now_s;
	w->now = run;
	w->now_s = at;
	return 0;
}

static void forget_here(struct job_watch *w)
{
	run_free(w->before);
	run_free(w->now);
	w->before = w->now = NULL;
}

int job_watch_look(struct job_watch *w)
{
	int err = look_here(w);

	if (w->alone)
		return err;
	if (err == -ENOENT || err == -ENODATA) {
		char *name = run_elsewhere(w->name ? w->name : w->word);

		if (!name)
			return err;
		forget_here(w);
		free(w->name);
		w->name = name;
		err = inquiry_keep(&w->others, name, false, w->delay);
	} else if (!err) {
		inquiry_keep(&w->others, w->name, true, w->delay);
	}
	return err;
}

/* A job may not be there yet, or have processes that have done nothing. */
static bool may_begin_yet(const struct job_watch *w, int err, double since)
{
	double patience =
		err == -ENODATA ? fmax(w->patience, w->delay) : w->patience;

	return (err == -ENOENT || err == -ENODATA) &&
	       job_watch_clock() < since + patience;
}

int job_watch_first(struct job_watch *w)
{
	double since = job_watch_clock();
	int err = job_watch_look(w);

	while (may_begin_yet(w, err, since)) {
		nanosleep(&(struct timespec){ .tv_nsec = STEP_NS }, NULL);
		err = job_watch_look(w);
	}
	w->begun_s = job_watch_clock();
	return err;
}

static int add_host_summary(struct recent_summary *to, const char *path)
{
	struct recent_summary one;
	FILE *from = fopen(path, "re");
	int err = from ? recent_summary_read(&one, from) : -EINVAL;

	if (from)
		fclose(from);
	return err ? err : recent_summary_add(to, &one);
}

bool job_watch_chooses(const struct job_watch *w)
{
	return w->only.one || w->only.word;
}

int job_watch_summary(struct recent_summary *to, const struct job_watch *w)
{
	int err = 0;

	*to = (struct recent_summary){ 0 };
	if (w->before)
		err = recent_summarise(to, w->before, w->now,
				       w->now_s - w->before_s, &w->only);
	for (size_t i = 0;
	     i < w->others.host_count && !err && !job_watch_chooses(w); i++) {
		char *path = inquiry_answer(&w->others, i);

		/* One that is just being written, or another version's. */
		if (path && add_host_summary(to, path) == -ENOMEM)
			err = no_memory();
		free(path);
	}
	if (!err)
		recent_summary_sort(to);
	return err;
}

/* Hosts without an answer; to be freed; NULL: there is none. */
static char *list_silent_hosts(const struct job_watch *w)
{
	char *list = NULL;

	for (size_t i = 0; i < w->others.host_count; i++) {
		char *path = inquiry_answer(&w->others, i), *longer;

		if (!path) {
			longer = str_format("%s%s%s", list ? list : "",
					    list ? ", " : "",
					    w->others.hosts[i]);
			free(list);
			list = longer;
		}
		free(path);
	}
	return list;
}

static bool may_answer_yet(const struct job_watch *w)
{
	return job_watch_clock() < w->begun_s + w->delay + ANSWER_S;
}

char *job_watch_silent(const struct job_watch *w)
{
	return may_answer_yet(w) ? NULL : list_silent_hosts(w);
}

bool job_watch_expects(const struct job_watch *w)
{
	char *silent = may_answer_yet(w) ? list_silent_hosts(w) : NULL;
	bool expects = silent;

	free(silent);
	return expects;
}

void job_watch_fini(struct job_watch *w)
{
	forget_here(w);
	inquiry_close(&w->others);
	free(w->name);
}

/*
 * For another host.
 */

static int write_answer(const struct job_watch *w, const char *folder)
{
	char *path = inquiry_own_answer(folder, INQUIRY_TOP);
	char *scratch = path ? str_format("%s.part", path) : NULL;
	struct recent_summary s = { 0 };
	int err = scratch ? job_watch_summary(&s, w) : no_memory();
	FILE *to = err ? NULL : fopen(scratch, "we");

	if (to)
		recent_summary_write(to, &s);
	if (!err && (!to || ferror(to) | fclose(to) || rename(scratch, path)))
		err = fail(-EIO, "cannot write %s", path);
	recent_summary_fini(&s);
	free(scratch);
	free(path);
	return err;
}

static void sleep_between_looks(double seconds)
{
	nanosleep(&(struct timespec){ (time_t)seconds,
				      (long)(fmod(seconds, 1) * 1e9) },
		  NULL);
}

int job_watch_answer(struct job_watch *w, const char *folder)
{
	double heard = job_watch_clock();
	uint64_t asked = inquiry_asked(folder), last = asked;
	int err = job_watch_first(w);

	while (!err && asked && job_watch_clock() < heard + ASKED_S) {
		double cost = (double)timebase_clock(CLOCK_PROCESS_CPUTIME_ID);

		err = job_watch_look(w);
		if (!err)
			err = write_answer(w, folder);
		cost = (double)timebase_clock(CLOCK_PROCESS_CPUTIME_ID) - cost;
		sleep_between_looks(fmax(w->delay, SPARE * cost / 1e9));
		asked = inquiry_asked(folder);
		if (asked != last)
			heard = job_watch_clock();
		last = asked;
	}
	inquiry_leave(folder);
	return err;
}
