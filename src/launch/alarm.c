/* SPDX-License-Identifier: BSD-3-Clause */
/* alarm.c - see alarm.h. */
#include "launch/alarm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/live-run.h"
#include "launch/process.h"

#define SECOND   1000000000ull
#define EVERY_NS (3 * SECOND)

enum {
	LONGER = 20 /* times the longest standstill before */
};

static uint64_t sum_completed(const char *folder)
{
	struct live_folder only = { .path = (char *)folder };
	const struct live_run own = { .at = &only, .count = 1 };
	struct live_progress *at;
	uint64_t sum = 0;
	size_t count;

	if (live_run_progress(&own, &at, &count))
		return 0;
	for (size_t i = 0; i < count; i++)
		sum += at[i].completed;
	free(at);
	return sum;
}

static void start_alarm(struct alarm_watch *w, uint64_t stood_ns)
{
	char patience[32];
	const char *const argv[] = {
		"/proc/self/exe", "stuck",
		"--alarm",        w->action ? w->action : "",
		"--patience",     patience,
		w->directory,     NULL
	};
	pid_t child;

	snprintf(patience, sizeof(patience), "%g",
		 (double)w->patience_ns / (double)SECOND);
	child = process_spawn(argv, STDERR_FILENO);
	w->child = child > 0 ? child : 0;
	w->again_ns = 2 * stood_ns;
}

/* A standstill is said once. */
static void take_alarm(struct alarm_watch *w)
{
	int status;
	pid_t ended = waitpid(w->child, &status, WNOHANG);

	if (!ended)
		return;
	w->child = 0;
	if (ended < 0 || !WIFEXITED(status))
		return;
	w->ends = WEXITSTATUS(status) == ALARM_END;
	if (w->ends || WEXITSTATUS(status) == ALARM_RAISED)
		w->again_ns = UINT64_MAX;
}

/* How long nothing has changed. */
static uint64_t measure_standstill(struct alarm_watch *w, uint64_t now)
{
	uint64_t completed = sum_completed(w->folder);
	uint64_t stood = w->changed_ns ? now - w->changed_ns : 0;

	if (completed == w->completed)
		return stood;
	if (stood > w->longest_ns)
		w->longest_ns = stood;
	w->completed = completed;
	w->changed_ns = now;
	w->again_ns = 0;
	return 0;
}

void alarm_look(struct alarm_watch *w, uint64_t now)
{
	uint64_t stood;

	if (!w->patience_ns || now < w->next_ns)
		return;
	if (w->next_ns && now - w->next_ns > EVERY_NS)
		w->changed_ns = now; /* all were stopped, we too */
	w->next_ns = now + (w->patience_ns < 4 * EVERY_NS ? w->patience_ns / 4
							  : EVERY_NS);
	if (w->child)
		take_alarm(w);
	stood = measure_standstill(w, now);
	if (!w->child && stood >= w->patience_ns &&
	    stood >= LONGER * w->longest_ns && stood >= w->again_ns)
		start_alarm(w, stood);
}
