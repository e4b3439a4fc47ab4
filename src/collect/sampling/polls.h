/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * polls.h - MPI calls that ask whether something has come, and do not wait for
 * it: programs make millions of them, and most are answered "not yet".
 *
 * Where the wrappers cost a thread more than its budget, most of its polls are
 * skipped: counted, and not timed.  Lots choose those that are measured in
 * full; they stand for what was skipped on the same path, and a program that
 * repeats itself cannot keep step with them.  The choice is made before the
 * call, so that its answer does not matter: a poll that takes long because it
 * is the one that completes something is as likely to be measured.
 *
 * A poll is skipped only where one was measured in full since the thread's
 * last other MPI call, with the same return address, stack pointer, and first
 * words of the stack that its path hangs on.  A loop that polls does nothing
 * else, so these are all but a few.  Paths that differ only above these words
 * cannot be told apart.
 *
 * Threads   A struct polls belongs to one thread.
 * Signals   None may run in a handler.  What a handler sees of a poll that is
 *           skipped is its region.
 */
#pragma once

#include "collect/regions/region.h"

enum {
	POLLS_EVERY = 32, /* one of so many is measured, on average */
	POLLS_PLACES = 8, /* that are skipped at a time */
	POLLS_WORDS = 4,
	POLLS_TICKS = 30, /* of the counter, that skipping one takes: too
			     few to time them (tests/bench/mpi-call.sh) */
};

struct poll {         /* where one was measured */
	uint64_t run; /* of the polls, then; 0: nothing was */
	struct region_frame caller;
	uintptr_t fp_mask; /* 0: the path does not hang on fp */
	const struct region_name *name;
	uint32_t code; /* the generation of it */
	live_ref node;
	struct live_call *call;
	const uintptr_t *at[POLLS_WORDS]; /* words of the stack, … */
	uintptr_t value[POLLS_WORDS];     /* … and what they were */
};

struct polls {
	uint64_t run;          /* another with each other call; never 0 */
	uint32_t left;         /* until one is sampled; 0: all are measured */
	uint32_t skipped;      /* since a call was left in full … */
	uint64_t since_ns;     /* … which was then, … */
	int64_t since_pauses;  /* … when that word was so, see collect.h */
	const int64_t *pauses; /* negative: measuring is paused */
	const uint32_t *code;  /* generation */
	struct region **known; /* the thread's context */
	bool verify;           /* pass them by, but look closely */
	uint64_t last;         /* when the one before a sampled one was over, of
				  the counter; 0: not known */
	uint64_t gap;      /* ticks from there to a sampled one; 0: as well */
	uint64_t usual_ns; /* what one takes … */
	uint64_t interval_ns;  /* … and from one to the next */
	uint64_t excess_ns;    /* beyond that, see live_call */
	struct live_call sums; /* of all paths, what live/untimed.h needs … */
	uint64_t told_ns;      /* … and what was told by it */
	uint64_t random;
	struct poll places[POLLS_PLACES];
};

/* The calling thread's, while they are skipped; else NULL. */
extern __thread struct polls *copse_polls
	__attribute__((tls_model("initial-exec")));

static inline struct poll *polls_place(struct polls *p, const struct region *r)
{
	return &p->places[(r->pc ^ r->pc >> 4) % POLLS_PLACES];
}

/* Was one measured there? */
static inline __attribute__((always_inline)) bool
poll_is(const struct poll *poll, const struct polls *p, const struct region *r)
{
	uintptr_t differ;

	if (poll->run != p->run || poll->caller.pc != r->pc ||
	    poll->caller.sp != r->sp || poll->name != r->name)
		return false;
	differ = (poll->caller.fp ^ r->fp) & poll->fp_mask;
	differ |= *poll->at[0] ^ poll->value[0];
	differ |= *poll->at[1] ^ poll->value[1];
	differ |= *poll->at[2] ^ poll->value[2];
	differ |= *poll->at[3] ^ poll->value[3];
	return !differ;
}

static inline __attribute__((always_inline)) bool
polls_are_open(const struct polls *p)
{
	return p && !*p->known &&
	       __atomic_load_n(p->pauses, __ATOMIC_RELAXED) >= 0;
}

/* Of what region_enter() sets, as much as a sample or the leave needs. */
static inline __attribute__((always_inline)) void
poll_enter(struct polls *p, struct poll *poll, struct region *r)
{
	r->nested = r->sampled = false;
	r->skipped = true;
	r->open = NULL;
	r->inside = 0;
	r->end = 0;
	r->node = poll->node;
	r->poll = poll;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	*p->known = r;
}

/* copse_region_enter(), or less of it for a poll that is skipped. */
static inline __attribute__((always_inline)) void
polls_region_enter(struct region *r)
{
	struct polls *p = copse_polls;
	struct poll *poll = polls_are_open(p) ? polls_place(p, r) : NULL;
	bool known = poll && poll_is(poll, p, r) &&
		     poll->code == __atomic_load_n(p->code, __ATOMIC_ACQUIRE);

	if (known && --p->left) {
		poll_enter(p, poll, r);
		return;
	}
	copse_region_enter(r);
	r->sampled = known;
	if (known) {
		uint64_t now = timestamp_read();

		p->gap = p->last && now > p->last ? now - p->last : 0;
		copse_polls = NULL;
	}
}

#define region_enter_poll(r, region_name_)                                     \
	region_enter_by(polls_region_enter, r, region_name_)

/* The same as copse_region_leave(). */
void copse_poll_leave(struct region *r, live_ref comm);

/*
 * In place of copse_region_leave(), for a poll that was skipped and has found
 * nothing; comm: as in struct region_values.
 */
static inline __attribute__((always_inline)) void poll_leave(struct region *r,
							     live_ref comm)
{
	struct live_call *call = r->poll->call;
	struct polls *p = copse_polls;

	if (!p || p->verify || call->comm != comm) {
		copse_poll_leave(r, comm);
		return;
	}
	call->calls++;
	call->passed++;
	p->skipped++;
	*p->known = NULL;
	if (p->left == 1)
		p->last = timestamp_read();
}

/* A thread or a forked child has begun, whose context is to be found there. */
void polls_start(struct polls *p, struct region **known, bool verify);

/* What was measured until now does not tell where polls to come are from. */
static inline void polls_forget(struct polls *p)
{
	p->run++;
	p->last = 0;
}

struct site;

/* One was measured in full at the site, and is `call` there. */
void polls_learn(struct polls *p, const struct site *site,
		 struct live_call *call);

/* From the next poll on one of many is measured; false: all are. */
void polls_thin(struct polls *p, bool on);

/*
 * A call was left in full, that began then: what the polls skipped since the
 * last one took, in ns, by estimate; no more than the time between.  Long ones
 * are only known to have been: what could not be told before is told later.
 * If measuring was paused meanwhile, that time tells nothing of polls.
 */
uint64_t polls_settle(struct polls *p, uint64_t start_ns);

/* One was sampled that took so long, after a gap. */
void polls_sampled(struct polls *p, struct live_call *call, uint64_t ns,
		   uint64_t gap_ns);

/* One that was measured took so long, which is not long: so does any. */
void polls_took(struct polls *p, uint64_t ns);
