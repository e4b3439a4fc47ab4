/* SPDX-License-Identifier: BSD-3-Clause */
/* core-wait.c - see core-wait.h. */
#include "launch/core-wait.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/proc.h"

static bool is_asleep(char state)
{
	return state && strchr("SDTt", state);
}

void core_wait_add(struct core_wait *w, const struct core_count *c,
		   uint64_t now)
{
	uint64_t ran = c->ran - w->count.ran;
	uint64_t waited = c->waited - w->count.waited;
	bool slept = c->turns == w->count.turns && is_asleep(c->state) &&
		     is_asleep(w->count.state);

	if (!slept && now - w->look_ns > ran)
		w->room += now - w->look_ns - ran;
	w->ns += waited < w->room ? waited : w->room;
	/* A wait that goes on is counted when it ends. */
	if (c->state != 'R')
		w->room = 0;
	w->count = *c;
	w->look_ns = now;
}

void core_wait_look(struct core_wait *w, pid_t pid, uint64_t now)
{
	char text[512];
	struct core_count c;
	const char *end;

	if (!proc_file(pid, "schedstat", text, sizeof(text)) ||
	    sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &c.ran, &c.waited,
		   &c.turns) != 3 ||
	    !proc_file(pid, "stat", text, sizeof(text)))
		return;
	end = strrchr(text, ')');
	c.state = end && end[1] ? end[2] : 0;
	core_wait_add(w, &c, now);
}
