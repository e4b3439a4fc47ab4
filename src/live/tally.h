/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tally.h - a page that all measured processes of one `copse run` share: what
 * those have in common that leave no profile.
 *
 * The parent makes it, backed by memory; a process keeps it mapped for life,
 * and a shared lock (flock) on it, which goes with the last mapping, however
 * that ends.  So whether anybody still runs can be asked.
 */
#pragma once

#include <stdint.h>

#define LIVE_TALLY "tally" /* its name, beside the live profiles */

enum {
	LIVE_TALLY_SIZE = 4096,
	LIVE_TALLY_EXECS = 240,
	LIVE_PHASE_TEXT = 64
};

/*
 * Why a program that was executed is not measured, as far as the process that
 * executed it, or the program itself, could tell: bits of `unfit`.
 */
enum live_unfit {
	LIVE_UNFIT_STATIC = 1,    /* it has no loader */
	LIVE_UNFIT_LIBRARY = 2,   /* it cannot load our library */
	LIVE_UNFIT_ROOT = 4,      /* our library is not in its root */
	LIVE_UNFIT_USER = 8,      /* it may not reach the live profiles */
	LIVE_UNFIT_VALGRIND = 16, /* that ends at the signal of a sample */
	LIVE_UNFIT_LIMIT = 32     /* a limit leaves too little beside it */
};

/* A process that executes another program is known to that by its pid. */
struct live_exec {
	uint32_t pid;       /* 0: nobody */
	uint32_t unsampled; /* it was counted among them */
	uint64_t cpu_ns;    /* of the process by then */
};

/*
 * What the user asks of the run (copse control), as its processes are to be by
 * it.  Who writes makes `number` odd first, and then the next even one.
 */
enum live_measuring {
	LIVE_MEASURING_ASKED, /* nothing is: as the program has it */
	LIVE_MEASURING_ON,
	LIVE_MEASURING_OFF
};

struct live_request {
	uint32_t number;    /* of the last one; 0: there was none */
	uint32_t measuring; /* enum live_measuring */
	uint64_t from;      /* a rank of MPI follows it after so many calls */
	uint32_t rate;   /* samples per second; 0: as asked for at the start */
	uint32_t phases; /* how many requests were about phases … */
	uint32_t turned; /* processes without MPI that have followed it */
	char phase[LIVE_PHASE_TEXT]; /* … the last one's; "": it ends */
};

struct live_tally {
	uint64_t start_ns; /* CPU time before a program could be measured … */
	uint64_t own_ns;   /* … of which the collector took so much */
	uint32_t profiles; /* that were made */
	uint32_t unsampled; /* processes that have none (yet) */
	uint32_t failed;    /* processes that could make none */
	uint32_t left_out;  /* processes that were not wanted */
	uint32_t unfit;     /* enum live_unfit of all of them */
	uint32_t unused;
	struct live_exec execs[LIVE_TALLY_EXECS]; /* by pid */
	struct live_request request;
};

_Static_assert(sizeof(struct live_tally) <= LIVE_TALLY_SIZE, "a page");
