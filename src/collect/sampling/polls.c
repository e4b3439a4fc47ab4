/* SPDX-License-Identifier: BSD-3-Clause */
/* polls.c - lots, and what is known of polls that were not timed. */
#include "collect/sampling/polls.h"

#include "collect/collect.h"
#include "collect/regions/callsite-cache.h"
#include "live/untimed.h"
#include "collect/source.h"
#include "collect/thread.h"

__thread struct polls *copse_polls
	__attribute__((tls_model("initial-exec"), visibility("default")));

enum {
	SMOOTH = 16, /* readings, that what is usual is learnt from */
};

AT_FORK void polls_start(struct polls *p, struct region **known, bool verify)
{
	p->pauses = &collect_pauses;
	p->code = &registry_generations.code;
	p->known = known;
	p->verify = verify;
	p->skipped = 0;
	p->usual_ns = p->interval_ns = p->excess_ns = p->told_ns = 0;
	p->sums = (struct live_call){ 0 };
	polls_forget(p);
}

/* The words nearest to the call. */
static void copy_poll_words(struct poll *poll, const struct site *s)
{
	for (uint32_t i = 0; i < POLLS_WORDS; i++) {
		bool any = i < s->count;

		poll->value[i] = any ? s->words[i].value : 0;
		poll->at[i] = any ? s->words[i].at : &poll->value[i];
	}
}

/* A handler that polls meanwhile finds none. */
void polls_learn(struct polls *p, const struct site *s, struct live_call *call)
{
	const struct region as = { .pc = s->pc };
	struct poll *poll = polls_place(p, &as);

	poll->run = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	poll->caller = (struct region_frame){ s->pc, s->sp, s->fp };
	poll->fp_mask = s->fp_mask;
	poll->name = s->name;
	poll->code = s->code;
	poll->node = s->node;
	poll->call = call;
	copy_poll_words(poll, s);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	poll->run = p->run;
}

static uint64_t next_poll_random(struct polls *p)
{
	if (!p->random)
		p->random = (uintptr_t)p * 0x9e3779b97f4a7c15u | 1;
	p->random ^= p->random << 13;
	p->random ^= p->random >> 7;
	p->random ^= p->random << 17;
	return p->random >> 11;
}

void polls_thin(struct polls *p, bool on)
{
	copse_polls = on ? p : NULL;
	if (!on)
		p->left = 0;
	else if (!p->left)
		p->left = 1 + (uint32_t)(next_poll_random(p) %
					 (2 * POLLS_EVERY - 1));
}

static void average_usual_poll(uint64_t *usual, uint64_t ns)
{
	*usual = *usual ? (*usual * (SMOOTH - 1) + ns) / SMOOTH : ns;
}

/* One that takes long seldom is drawn: it is told when others are. */
static uint64_t long_polls_to_record(struct polls *p, uint64_t most)
{
	uint64_t all = untimed_long_ns(&p->sums);
	uint64_t ns = all > p->told_ns ? all - p->told_ns : 0;

	if (ns > most)
		ns = most;
	p->told_ns += ns;
	return ns;
}

uint64_t polls_settle(struct polls *p, uint64_t start_ns)
{
	uint64_t span = start_ns > p->since_ns ? start_ns - p->since_ns : 0;
	uint64_t expected = p->skipped * p->interval_ns;
	uint64_t took = p->skipped * p->usual_ns;
	uint64_t excess = 0;

	if (p->since_pauses !=
	    __atomic_load_n(&collect_pauses, __ATOMIC_RELAXED))
		p->last = 0;
	else if (!expected || span < expected + LIVE_LONG_NS)
		average_usual_poll(&p->interval_ns, span / p->skipped);
	else
		excess = span - expected;
	p->excess_ns += excess;
	p->sums.excess_ns += excess;
	p->sums.passed += p->skipped;
	p->skipped = 0;
	if (took > span)
		took = span;
	return took + long_polls_to_record(p, span - took);
}

static void count_drawn(struct live_call *c, uint64_t ns, uint64_t gap_ns)
{
	if (gap_ns >= LIVE_LONG_NS)
		c->gap_ns += gap_ns;
	if (ns >= LIVE_LONG_NS) {
		c->long_ns += ns;
	} else {
		c->drawn++;
		c->drawn_ns += ns;
	}
}

void polls_sampled(struct polls *p, struct live_call *call, uint64_t ns,
		   uint64_t gap_ns)
{
	count_drawn(call, ns, gap_ns);
	count_drawn(&p->sums, ns, gap_ns);
}

void polls_took(struct polls *p, uint64_t ns)
{
	average_usual_poll(&p->usual_ns, ns);
}

AT_FORK static void polls_reset(struct thread *t)
{
	polls_start(&t->polls, &t->region, t->unwinder.verify);
}

const struct source source_polls = {
	.reset = polls_reset,
};
