/* SPDX-License-Identifier: BSD-3-Clause */
/* no-sample.c - settings, time and rate, limits: what excludes what. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/program-filter.h"
#include "launch/events.h"
#include "tools/run-end.h"

#define NS 1e9

enum {
	BRIEF_MS = 20,           /* so short, even what computes has none */
	MOST_BESIDE = 10,        /* samples' worth of loading and ending */
	PROFILE_LEAST = 20 << 10 /* bytes: below, there is no live profile */
};

/* A period is drawn at random: so many may pass without a sample. */
#define MOST_DUE 2

static bool is_left_out(const struct no_sample *n)
{
	const struct settings *s = n->settings;
	char *file = realpath(n->program->path, NULL);
	bool out = !program_filter_wants(s->include, s->exclude,
					 n->program->path, file ? file : "");

	free(file);
	return out;
}

/* Samples per second of CPU time; 0: the clock is off. */
static uint64_t rate_of_settings(const struct settings *s)
{
	const char *at = s->events;
	struct event_word word;

	while (events_next(&at, &word) > 0)
		if (events_is_clock(&word) && (!word.has_number || word.number))
			return word.has_number ? word.number : s->freq;
	return 0;
}

static bool samples_waiting(const struct settings *s)
{
	const char *at = s->events;
	struct event_word word;

	while (events_next(&at, &word) > 0)
		if (!strcmp(word.name, "wall"))
			return true;
	return false;
}

/* The program has had our limits, unless it changed them. */
static bool has_no_room(void)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_FSIZE, &limit) &&
	       limit.rlim_cur < PROFILE_LEAST;
}

const char *no_sample_of_child(const struct live_tally *tally)
{
	static const struct {
		enum live_unfit unfit;
		const char *why;
	} reasons[] = {
		{ LIVE_UNFIT_VALGRIND, "Valgrind runs the program, and would "
				       "end at the signal of a sample: run "
				       "either Valgrind or copse" },
		{ LIVE_UNFIT_STATIC, "a program that it started is linked "
				     "statically, so no library can be put "
				     "into it: link it dynamically" },
		{ LIVE_UNFIT_LIBRARY, "a program that it started cannot load "
				      "copse's libraries: it is for 32 bits, "
				      "another C library or an older glibc" },
		{ LIVE_UNFIT_ROOT, "a program that it started has another "
				   "root, where copse's libraries are not: "
				   "write copse run before the program there" },
		{ LIVE_UNFIT_USER, "a program that it started runs as another "
				   "user, who may not write this profile: "
				   "write copse run behind what changes the "
				   "user" },
		{ LIVE_UNFIT_LIMIT, "a program that it started was given too "
				    "little for copse beside it by a limit "
				    "(ulimit -s, -v, -d, -n, -i): raise that" },
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (tally->unfit & reasons[i].unfit)
			return reasons[i].why;
	return NULL;
}

/* What the processes told of each other, or NULL. */
static const char *why_no_process(const struct live_tally *tally)
{
	const char *why = no_sample_of_child(tally);

	if (!why && tally->failed)
		return "no process had room for a profile: enlarge /dev/shm or "
		       "raise the limits (ulimit -v, -n; see: copse check)";
	return why;
}

/* In which samples could be taken: not the time that it took to start. */
static double seconds_to_sample(const struct no_sample *n)
{
	uint64_t start = n->tally.start_ns;

	return n->cpu_ns > start ? (double)(n->cpu_ns - start) / NS : 0;
}

/* So little that even at the usual rate there is no sample, or one. */
static bool had_no_time(const struct no_sample *n)
{
	struct settings usual;

	settings_init(&usual);
	return seconds_to_sample(n) * usual.freq < MOST_BESIDE;
}

const char *no_sample_why(const struct no_sample *n, char to[NO_SAMPLE_SIZE])
{
	double due =
		seconds_to_sample(n) * (double)rate_of_settings(n->settings);
	const char *why;

	if (is_left_out(n))
		return "--include and --exclude leave the program out";
	if (!n->settings->from_start)
		return "--from-start=off, and neither the program, by "
		       "copse_resume() or MPI_Pcontrol(1), nor copse control "
		       "began measuring";
	if (*n->settings->iterations)
		return "the program never came to what --iterations names";
	if (n->run_ns / 1000000 < BRIEF_MS)
		return "too short to say anything";
	if (has_no_room())
		return "the limit on the size of files (ulimit -f) leaves no "
		       "room for a profile";
	if (had_no_time(n) && !samples_waiting(n->settings)) {
		snprintf(to, NO_SAMPLE_SIZE,
			 "it waited, but for %.0f ms of CPU time; to see "
			 "where: -e wall",
			 (double)n->cpu_ns / 1e6);
		return to;
	}
	why = why_no_process(&n->tally);
	if (why)
		return why;
	if (due > 0 && due < MOST_DUE) {
		snprintf(to, NO_SAMPLE_SIZE,
			 "at %" PRIu64 " per second none was due in %.0f ms of "
			 "CPU time; for more: --freq",
			 rate_of_settings(n->settings),
			 (double)n->cpu_ns / 1e6);
		return to;
	}
	return "what computed was started without copse's library: LD_PRELOAD "
	       "was removed or is not obeyed (man copse-run, KNOWN LIMITS)";
}
