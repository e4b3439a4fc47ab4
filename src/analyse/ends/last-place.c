/* SPDX-License-Identifier: BSD-3-Clause */
/* last-place.c - where a process was in the end. */
#include "analyse/ends/ends.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/phrase.h"
#include "analyse/paths/own-paths.h"
#include "analyse/paths/paths.h"

#define FRAMES 3

/* What a handler returns to; as glibc and musl name it. */
static bool returns_from_handler(const struct run *run, uint32_t node)
{
	const char *name = str_at(&run->strings, run->nodes[node].function);

	return !strcmp(name, "__restore_rt") || !strcmp(name, "__restore");
}

/* A path, with the line of that node; to be freed. */
static char *path_text(const struct paths *paths, uint32_t path, uint32_t line)
{
	const struct run_node *n = &paths->run->nodes[line];
	char *text = paths_short(paths, path, FRAMES);
	char *place = paths_place(paths->run, n->file, n->line);
	char *both = text && place ? str_format("%s (%s)", text, place) : text;

	if (both != text)
		free(text);
	free(place);
	return both;
}

char *ends_where(const struct paths *paths, uint32_t node)
{
	uint32_t path = paths->of[node];

	return path_text(paths, path, paths->at[path].node);
}

/* The frame that the first handler interrupted; or the node itself. */
static uint32_t before_handler(const struct run *run, uint32_t node,
			       uint32_t *line)
{
	uint32_t found = *line = node;

	for (uint32_t n = node; n; n = run->nodes[n].parent)
		if (returns_from_handler(run, n)) {
			found = run->nodes[n].parent;
			*line = n;
		}
	return found;
}

/*
 * The program's own function, with the line that it has come to: that of a
 * call is of what it calls.  The function of a library is told with it that a
 * fault was found in; how abort() sends its signal is not.
 */
static char *fatal_where(const struct paths *paths,
			 const struct run_last_call *last)
{
	const struct run *run = paths->run;
	uint32_t line, path, from, at;

	from = before_handler(run, last->sample_node, &line);
	path = paths->of[from];
	for (at = from; at && !paths_is_own(run, run_frame(run, at));
	     at = run->nodes[run_frame(run, at)].parent)
		line = run_frame(run, at);
	if (at && (last->signal_code <= 0 || from != last->sample_node))
		path = paths->of[at];
	return path_text(paths, path, line);
}

static void say_origin(char to[64], const struct run_last_call *last,
		       uint32_t pid)
{
	bool sent = last->signal_code <= 0;
	bool address = last->signal == SIGSEGV || last->signal == SIGBUS;

	*to = 0;
	if (sent && last->signal_from && last->signal_from != pid)
		snprintf(to, 64, ", sent by process %" PRIu64 ",",
			 last->signal_from);
	else if (!sent && address && last->signal_code != SI_KERNEL)
		snprintf(to, 64, " at address 0x%" PRIx64, last->signal_from);
}

static char *fatal_text(const struct paths *paths,
			const struct run_last_call *last)
{
	char origin[64], *where, *text;

	say_origin(origin, last, paths->run->ranks[last->rank].pid);
	if (!last->sample_node)
		return strdup(origin);
	where = fatal_where(paths, last);
	text = where ? str_format("%s in %s", origin, where) : NULL;
	free(where);
	return text;
}

/* Of its threads the one that got the signal, or else the youngest sample. */
static const struct run_last_call *last_sampled(const struct run *run,
						size_t process)
{
	const struct run_last_call *last = NULL;

	for (size_t i = 0; i < run->ends.call_count; i++) {
		const struct run_last_call *call = &run->ends.calls[i];

		if (call->rank != process)
			continue;
		if (call->signal &&
		    call->signal == run->ranks[process].end_code)
			return call;
		if (call->sample_node &&
		    (!last || call->sample_age_ns < last->sample_age_ns))
			last = call;
	}
	return last;
}

char *ends_last_place(const struct paths *paths, size_t process)
{
	const struct run_last_call *last = last_sampled(paths->run, process);
	char *where, *text, age[32];

	if (last && last->signal)
		return fatal_text(paths, last);
	if (!last || last->sample_age_ns >= ENDS_RECENTLY_NS)
		return strdup("");
	where = ends_where(paths, last->sample_node);
	if (!where)
		return NULL;
	phrase_time(age, (double)last->sample_age_ns / 1e9);
	text = str_format(", last sampled %s before in %s", age, where);
	free(where);
	return text;
}
