/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * steer.h - asks the processes of a run on this host to begin or end measuring,
 * or to do it differently, and sees what they make of it.
 *
 * A request is in the tally of each `copse run`.  Ranks of MPI follow it at the
 * same collective call, other processes when they next compute: see
 * collect/steering.h, which is the other end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "launch/live-run.h"
#include "live/tally.h"

struct steer_process {
	pid_t pid;
	const struct live_header *live; /* mapped */
};

struct steer {
	struct live_tally **tallies; /* mapped */
	size_t tally_count;
	struct steer_process *ranks; /* of MPI, that go on; by rank */
	size_t rank_count;
	size_t world;    /* ranks of the whole job */
	uint32_t number; /* of the last request */
};

/* What is to change: the others of its members stay as they are. */
struct steer_wish {
	enum live_measuring measuring;
	uint32_t rate;     /* samples per second */
	const char *phase; /* "": it ends; NULL: no change */
};

/* 0, or -errno with a reason; the caller fini()s in any case. */
int steer_init(struct steer *to, const struct live_run *run);
void steer_fini(struct steer *steer);

/* Collective calls that the farthest rank has made. */
uint64_t steer_calls(const struct steer *steer);

/*
 * A call that no rank comes to while the request is written: of ranks that go
 * on at their pace, some tenths of a second from now.
 */
uint64_t steer_next_call(const struct steer *steer);

/* Ask; ranks follow behind that call. */
void steer_ask(struct steer *steer, const struct steer_wish *wish,
	       uint64_t call);

/* Somebody has asked for something else since. */
bool steer_was_overtaken(const struct steer *steer);

enum steer_state {
	STEER_WAITED_FOR,
	STEER_TURNED,
	STEER_ENDED /* MPI, or the process */
};
enum steer_state steer_state(const struct steer *steer, size_t rank);

/* Processes without MPI that have followed. */
size_t steer_others(const struct steer *steer);
