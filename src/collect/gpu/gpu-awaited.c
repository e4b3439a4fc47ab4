/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-awaited.c - calls that waited are laid beside the work of GPUs. */
#include "collect/gpu/gpu-awaited.h"

#include "base/sys.h"
#include "collect/lock.h"
#include "collect/registry.h"
#include "collect/source.h"

enum {
	WAITS = 16384,
	MET = 64,        /* of them at a time, those that work was seen of */
	KINDS = 8,       /* of work, by name and stream, of one wait */
	LATE_NS = 50000, /* from the end of the work to the return */
	OWN_NS = 1000,   /* a copy begins with the call that waits for it */
	JOINED_NS = 1000000, /* calls that are one: their work was launched
				before */
	DEEP = 50,           /* times as long as it ran, work of a full queue */
	WAITED = 90,         /* percent: of less no call waited that may not */
};

struct awaited_kind {
	uint64_t stream, ns, end;
	uint32_t name;
};

/* What one call waited for. */
struct awaited_kinds {
	uint32_t count;
	uint64_t covered, until; /* of the call, by any of them, so far */
	uint64_t queued, ran;    /* of the pieces, before it and meanwhile */
	bool copied;             /* by the call itself, which has ended */
	struct awaited_kind at[KINDS];
};

/*
 * Mutable: [first, end), modulo WAITS, in the order of their begins; written by
 * any thread.  Of [first, met) some work is known, modulo MET.
 */
static struct {
	struct lock lock;
	uint32_t generation; /* of the live profile that they are for */
	uint64_t first, met, end;
	struct gpu_wait *at;
	struct awaited_kinds *kinds;
} waits RESET_AT_FORK;

static struct gpu_wait *awaiting_at(uint64_t i)
{
	return &waits.at[i % WAITS];
}

static struct awaited_kinds *kinds_of_awaiting(uint64_t i)
{
	return &waits.kinds[i % MET];
}

AT_FORK static void forget_awaiting(void)
{
	if (waits.first != waits.end)
		waits.first = waits.met = waits.end;
}

/* Nodes of another live profile say nothing. */
static void keep_to_profile(void)
{
	if (waits.generation != registry_generation())
		forget_awaiting();
	waits.generation = registry_generation();
}

/* Threads end their waits in another order than they began them. */
static void put_awaiting(const struct gpu_wait *wait)
{
	uint64_t i = waits.end++;

	while (i > waits.met && awaiting_at(i - 1)->from > wait->from) {
		*awaiting_at(i) = *awaiting_at(i - 1);
		i--;
	}
	*awaiting_at(i) = *wait;
}

/* A loop that launches into a full queue fills the ring otherwise. */
static bool join_awaiting(const struct gpu_wait *wait)
{
	struct gpu_wait *last;

	if (wait->for_what != GPU_WAITS_PERHAPS || waits.end <= waits.met)
		return false;
	last = awaiting_at(waits.end - 1);
	if (last->for_what != GPU_WAITS_PERHAPS || last->node != wait->node ||
	    last->thread != wait->thread || wait->from < last->to ||
	    wait->from - last->from > JOINED_NS)
		return false;
	last->to = wait->to;
	last->inside += wait->inside;
	return true;
}

static bool make_awaiting_room(void)
{
	if (!waits.at)
		waits.at = sys_memory(WAITS * sizeof(*waits.at));
	if (!waits.kinds)
		waits.kinds = sys_memory(MET * sizeof(*waits.kinds));
	return waits.at && waits.kinds && waits.end - waits.first < WAITS;
}

void gpu_awaited_call(const struct gpu_wait *wait)
{
	bool kept;

	lock_take(&waits.lock);
	keep_to_profile();
	kept = join_awaiting(wait);
	if (!kept && make_awaiting_room()) {
		put_awaiting(wait);
		kept = true;
	}
	lock_give(&waits.lock);
	if (!kept)
		registry_lost(LOSS_GPU_AWAITED, 1);
}

/* Of more kinds than there is room for, those with least are left out. */
static struct awaited_kind *kind_of_work(struct awaited_kinds *of,
					 uint64_t stream, uint32_t name)
{
	struct awaited_kind *least = of->at;

	for (uint32_t i = 0; i < of->count; i++) {
		struct awaited_kind *k = &of->at[i];

		if (k->name == name && k->stream == stream)
			return k;
		if (k->ns < least->ns)
			least = k;
	}
	if (of->count < KINDS)
		least = &of->at[of->count++];
	*least = (struct awaited_kind){ .stream = stream, .name = name };
	return least;
}

static void empty_awaited(struct awaited_kinds *of)
{
	of->count = 0;
	of->covered = of->until = of->queued = of->ran = 0;
	of->copied = false;
}

/* Work comes in the order of its starts. */
static void cover_call(struct awaited_kinds *of, uint64_t from, uint64_t to)
{
	if (from < of->until)
		from = of->until;
	if (from >= to)
		return;
	of->covered += to - from;
	of->until = to;
}

/* What was launched later was not waited for; calls that are one launch. */
static uint64_t last_launch(const struct gpu_wait *w)
{
	return w->for_what == GPU_WAITS_PERHAPS ? w->to : w->from + OWN_NS;
}

static void add_to_awaiting(uint64_t i, const struct live_piece *p)
{
	const struct gpu_wait *w = awaiting_at(i);
	uint64_t from = p->start > w->from ? p->start : w->from;
	uint64_t to = p->end < w->to ? p->end : w->to;
	uint64_t stream = (uint64_t)p->device << 56 ^
			  (uint64_t)p->context << 32 ^ p->stream;
	struct awaited_kinds *of = kinds_of_awaiting(i);
	struct awaited_kind *k;

	if (from >= to || p->begun > last_launch(w))
		return;
	for (; waits.met <= i; waits.met++)
		empty_awaited(kinds_of_awaiting(waits.met));
	cover_call(of, from, to);
	of->queued += p->start - p->begun;
	of->ran += p->end - p->start;
	of->copied |= p->kernel == LIVE_PIECE_COPY && p->begun >= w->from &&
		      p->end <= w->to + LATE_NS;
	k = kind_of_work(of, stream, p->name);
	k->ns += to - from;
	if (p->end > k->end)
		k->end = p->end;
}

/* The stream whose work ended last, but not after the return. */
static uint64_t awaited_stream(const struct awaited_kinds *of, uint64_t until)
{
	const struct awaited_kind *last = of->at;
	uint64_t most = 0;

	for (uint32_t i = 0; i < of->count; i++) {
		const struct awaited_kind *k = &of->at[i];

		if (k->end > most && k->end <= until) {
			most = k->end;
			last = k;
		}
	}
	return last->stream;
}

static bool call_has_waited(const struct gpu_wait *w,
			    const struct awaited_kinds *of)
{
	return of->covered * 100 >= (w->to - w->from) * WAITED &&
	       (of->copied || of->queued >= DEEP * of->ran);
}

/* Of streams that worked at the same time each has its share. */
static void settle_perhaps(const struct gpu_wait *w,
			   const struct awaited_kinds *of, gpu_awaited_sum *sum)
{
	double part = (double)w->inside / (double)(w->to - w->from);
	uint64_t all = 0;

	if (!call_has_waited(w, of))
		return;
	for (uint32_t n = 0; n < of->count; n++)
		all += of->at[n].ns;
	for (uint32_t n = 0; n < of->count; n++)
		sum(w->node, w->thread, of->at[n].name,
		    (uint64_t)((double)of->at[n].ns / (double)all * part *
			       (double)of->covered));
}

static void settle_awaiting(uint64_t i, gpu_awaited_sum *sum)
{
	const struct gpu_wait *w = awaiting_at(i);
	const struct awaited_kinds *of = kinds_of_awaiting(i);
	uint64_t until = w->to + LATE_NS, stream;

	if (i >= waits.met || !of->count)
		return;
	if (w->for_what == GPU_WAITS_PERHAPS) {
		settle_perhaps(w, of, sum);
		return;
	}
	stream = awaited_stream(of, until);
	for (uint32_t n = 0; n < of->count; n++) {
		const struct awaited_kind *k = &of->at[n];

		if (w->for_what == GPU_WAITS_DEVICE ? k->end <= until
						    : k->stream == stream)
			sum(w->node, w->thread, k->name, k->ns);
	}
}

/* Those that ended before that, and that no work will be added to. */
static void settle_all_awaiting(uint64_t until, gpu_awaited_sum *sum)
{
	while (waits.first < waits.end &&
	       awaiting_at(waits.first)->to <= until) {
		settle_awaiting(waits.first++, sum);
		if (waits.met < waits.first)
			waits.met = waits.first;
	}
}

void gpu_awaited_work(const struct live_piece *piece, gpu_awaited_sum *sum)
{
	if (!__atomic_load_n(&waits.at, __ATOMIC_RELAXED))
		return;
	lock_take_inner(&waits.lock);
	settle_all_awaiting(piece->start, sum);
	for (uint64_t i = waits.first; i < waits.end && i < waits.first + MET;
	     i++) {
		if (awaiting_at(i)->from >= piece->end)
			break;
		add_to_awaiting(i, piece);
	}
	lock_give_inner(&waits.lock);
}

void gpu_awaited_settle(gpu_awaited_sum *sum)
{
	lock_take_inner(&waits.lock);
	settle_all_awaiting(UINT64_MAX, sum);
	lock_give_inner(&waits.lock);
}

void gpu_awaited_reset(void)
{
	lock_take_inner(&waits.lock);
	keep_to_profile();
	lock_give_inner(&waits.lock);
}

AT_FORK static void gpu_awaited_forked(void)
{
	lock_open(&waits.lock);
	forget_awaiting();
}

const struct source source_gpu_awaited = {
	.fork = gpu_awaited_forked,
};
