/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd-control.c - copse control: what is asked of a run that goes on. */
#include <errno.h>
#include <inttypes.h>
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
#include "launch/steer.h"
#include "live/layout.h"
#include "merge/merge.h"
#include "tools/command.h"

enum {
	STEP_MS = 10,
	QUIET_MS = 300, /* without another process that follows */
	FAR = 20,       /* times as far: time to ask on other hosts */
	MOST_RATE = 20000
};

/* Mutable: the command's options. */
static const char *output;
static unsigned int at_call, patience = 60;

static const struct option options[] = {
	{ 'o', "output", "DIR",
	  "snapshot: a directory that is made (NAME.at-TIME.copse)",
	  parse_string, &output },
	{ 0, "at", "N",
	  "behind the N-th collective call: where a run has several hosts",
	  parse_count, &at_call },
	{ 0, "wait", "SECONDS", "for ranks to come there, default 60",
	  parse_count, &patience },
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

/*
 * Measuring is begun, ended or changed.
 */

/* On this host; false: not in that time. */
static bool await_ranks(const struct steer *s)
{
	const struct timespec step = { 0, STEP_MS * 1000000L };
	bool waits = true;

	for (uint64_t ms = 0; waits && ms <= 1000u * patience; ms += STEP_MS) {
		waits = false;
		for (size_t i = 0; i < s->rank_count && !waits; i++)
			waits = steer_state(s, i) == STEER_WAITED_FOR;
		if (waits)
			nanosleep(&step, NULL);
	}
	return !waits;
}

/* Those without MPI do so when they compute, which some do not now. */
static void await_others(const struct steer *s)
{
	const struct timespec step = { 0, STEP_MS * 1000000L };
	size_t before = 0, now;

	for (uint64_t ms = 0, since = 0;
	     ms <= 1000u * patience && (!before || since < QUIET_MS);
	     ms += STEP_MS, since += STEP_MS) {
		nanosleep(&step, NULL);
		now = steer_others(s);
		if (now != before)
			since = 0;
		before = now;
	}
}

/* Of the ranks that have: the first and the last call behind which. */
static size_t count_turned(const struct steer *s, uint64_t *least,
			   uint64_t *most)
{
	size_t count = 0;

	*least = UINT64_MAX;
	*most = 0;
	for (size_t i = 0; i < s->rank_count; i++) {
		uint64_t at = s->ranks[i].live->steering.turned_at;

		if (steer_state(s, i) != STEER_TURNED)
			continue;
		count++;
		*least = at < *least ? at : *least;
		*most = at > *most ? at : *most;
	}
	return count;
}

static int say_who_has_not(const struct steer *s, uint64_t call)
{
	const struct live_header *late = NULL;

	for (size_t i = 0; i < s->rank_count && !late; i++)
		if (steer_state(s, i) != STEER_TURNED)
			late = s->ranks[i].live;
	if (steer_was_overtaken(s))
		return fail(-EBUSY, "another copse control has asked for "
				    "something else meanwhile");
	return fail(-ETIMEDOUT,
		    "rank %d has made %" PRIu64 " collective calls%s",
		    late->rank, late->steering.calls,
		    late->mpi_finalize_ns ? ", and has ended MPI"
		    : late->steering.calls < call
			    ? ": it follows if it comes there"
			    : ", and has phases of its own open");
}

static int say_asked_ranks(const struct steer *s, const char *are,
			   uint64_t call)
{
	uint64_t least, most;
	size_t count = count_turned(s, &least, &most);

	printf("%zu of %zu ranks %s", count, s->world, are);
	if (!count)
		printf(" yet, waiting for collective call %" PRIu64 "\n", call);
	else if (least == most)
		printf(" since collective call %" PRIu64 "\n", least);
	else
		printf(" since collective calls %" PRIu64 " to %" PRIu64
		       ": they came there before they could be asked\n",
		       least, most);
	return count < s->rank_count ? say_who_has_not(s, call) : 0;
}

static int say_other_processes(const struct steer *s, const char *are)
{
	char count[32];

	if (!steer_others(s))
		return fail(-ETIMEDOUT, "no process has computed since: each "
					"follows when it does");
	printf("%s without MPI %s now\n",
	       phrase_plural(count, steer_others(s), "process"), are);
	return 0;
}

/* The call behind which ranks follow; 0: there are none. */
static int choose_call(const struct steer *s, const struct steer_wish *wish,
		       uint64_t *call)
{
	*call = 0;
	if (!s->rank_count)
		return wish->phase ? fail(-ENOENT,
					  "a phase begins at a collective "
					  "call: no rank of MPI goes on here")
				   : 0;
	*call = at_call ? at_call : steer_next_call(s);
	if (at_call && at_call <= steer_calls(s))
		return fail(-ERANGE,
			    "a rank has made %" PRIu64 " collective calls "
			    "already: --at %u is over",
			    steer_calls(s), at_call);
	if (s->rank_count < s->world && !at_call)
		return fail(-EXDEV,
			    "only %zu of %zu ranks go on on this host: name a "
			    "call that none has come to, such as --at %" PRIu64
			    ", and ask so on each host",
			    s->rank_count, s->world,
			    *call + FAR * (*call - steer_calls(s)));
	return 0;
}

static int ask_run(const char *word, const struct steer_wish *wish,
		   const char *are)
{
	struct live_run live;
	struct steer steer = { 0 };
	uint64_t call;
	int err = live_run_find(&live, word);

	if (err)
		return err;
	err = steer_init(&steer, &live);
	if (!err)
		err = choose_call(&steer, wish, &call);
	if (!err) {
		steer_ask(&steer, wish, call);
		if (steer.rank_count)
			await_ranks(&steer);
		else
			await_others(&steer);
		err = steer.rank_count ? say_asked_ranks(&steer, are, call)
				       : say_other_processes(&steer, are);
	}
	steer_fini(&steer);
	live_run_fini(&live);
	return err;
}

static int start_measuring(const char *run, const char *value)
{
	const struct steer_wish wish = { .measuring = LIVE_MEASURING_ON };

	(void)value;
	return ask_run(run, &wish, "are measured");
}

static int stop_measuring(const char *run, const char *value)
{
	const struct steer_wish wish = { .measuring = LIVE_MEASURING_OFF };

	(void)value;
	return ask_run(run, &wish, "are not measured");
}

static int change_phase(const char *run, const char *value)
{
	bool ends = !value || !strcmp(value, "-");
	const struct steer_wish wish = { .phase = ends ? "" : value };
	char are[LIVE_PHASE_TEXT + 32];

	if (!ends && (!*value || strlen(value) >= LIVE_PHASE_TEXT))
		return fail(-EINVAL, "a phase has a name of 1 to %d bytes",
			    LIVE_PHASE_TEXT - 1);
	snprintf(are, sizeof(are), ends ? "have left the phase" : "are in %s",
		 value);
	return ask_run(run, &wish, are);
}

static int change_rate(const char *run, const char *value)
{
	unsigned int rate = 0;
	char are[64];

	if (!value || parse_count(&rate, value) || !rate || rate > MOST_RATE)
		return fail(-EINVAL, "freq wants samples per second, 1 to %d",
			    MOST_RATE);
	snprintf(are, sizeof(are), "take %u samples per second", rate);
	return ask_run(run, &(struct steer_wish){ .rate = rate }, are);
}

static int make_snapshot_of(const char *run, const char *value)
{
	(void)value;
	return make_snapshot(run);
}

static const struct control_action {
	const char *name;
	bool takes; /* a word behind it */
	int (*act)(const char *run, const char *value);
} actions[] = {
	{ "start", false, start_measuring },
	{ "stop", false, stop_measuring },
	{ "phase", true, change_phase },
	{ "freq", true, change_rate },
	{ "snapshot", false, make_snapshot_of },
	{ 0 },
};

static const struct control_action *find_action(const char *word)
{
	const struct control_action *a = actions;

	while (a->name && strcmp(a->name, word) != 0)
		a++;
	return a->name ? a : NULL;
}

static int control_run(int argc, char **argv)
{
	const struct control_action *action = NULL;
	int i = 0;

	/* The run is in front, if it is named. */
	if (argc > 1 && (action = find_action(argv[1])))
		i = 1;
	else if (argc)
		action = find_action(argv[0]);
	if (!action || argc - i - 1 > action->takes)
		return fail(-EINVAL, "which run, and what: copse control DIR "
				     "start, stop, phase [NAME], freq N or "
				     "snapshot");
	if (output && action->act != make_snapshot_of)
		return fail(-EINVAL, "--output is for snapshot");
	return action->act(i ? argv[0] : NULL, argv[i + 1]);
}

const struct command command_control = {
	.name = "control",
	.synopsis = "[options] [DIR|JOBID] start|stop|phase [NAME]|freq N|"
		    "snapshot",
	.help = "begin and end measuring of a running job, or see its profile",
	.options = options,
	.run = control_run,
};
