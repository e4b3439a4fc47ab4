/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wait-blame.c - follow each wait to its cause, and sum up.
 *
 * Handing on   While a culprit itself waited for somebody else, that one is
 *              the cause: this share of the wait is handed on, and so on, so
 *              that the first cause is named along a pipeline.  Waiting from
 *              before counts as well, if it made the culprit late: since the
 *              two last met, as far as it was longer than the victim's own.
 *              (D. Boehme, M. Geimer, L. Arnold, F. Voigtlaender, F. Wolf,
 *              Identifying the root causes of wait states in large-scale
 *              parallel applications, ACM Trans. Parallel Comput. 3, 2016.)
 * Contexts     The trace points of the culprit's samples that lie in the time
 *              for which it is blamed say where it was.  A single wait may be
 *              shorter than the time between samples: the shares are those of
 *              all waits of one cause.  What samples do not account for, as
 *              when the culprit slept, is its caller's of the call that was
 *              late; then its process's threads that do not call MPI are asked
 *              as well, one of which it may have waited for.
 * Error        Instances are kept by clusters, with a probability p = 2^-level
 *              each.  The Horvitz-Thompson estimate of a sum is the kept sum
 *              divided by p; its variance is estimated by the sum over kept
 *              clusters of (1 - p) / p^2 * (the cluster's sum)^2 (C.-E.
 *              Saerndal, B. Swensson, J. Wretman, Model Assisted Survey
 *              Sampling, 1992, 3.2 and 4.2, for Poisson sampling: it is not
 *              used that operations are as many as were counted, and so it is
 *              rather too large).  Where clusters are not known, as many
 *              equal operations as a cluster may have are assumed.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/map.h"
#include "base/comparison.h"
#include "live/layout.h"
#include "waits/wait-find.h"

enum {
	DEPTH = 64,    /* hand on no farther */
	GRAIN = 64,    /* and no pieces smaller than this part of the wait */
	STEPS = 256,   /* look no farther back */
	CLUSTER = 16,  /* operations of one that is not known */
	CAUSES = 16384 /* are kept, the others made one */
};
#define REST_NS 16e6 /* a sample accounts for no more that came before it */

struct cause_sum { /* while it is summed up */
	struct run_cause sum;
	double squares;  /* of clusters that are over */
	double cluster;  /* of the one that is not */
	uint64_t number; /* the cluster */
	size_t last;     /* wait that was counted, + 1 */
	/* What samples can account for: */
	double blamed_ns, covered_ns, period_ns;
	uint64_t samples;
};

struct detail_sum { /* of a context, or of a victim */
	uint32_t cause, what, flags;
	double ns;
	uint64_t samples;
};

struct detail_sums {
	struct detail_sum *at;
	size_t count, room;
	struct map map;
};

struct blaming {
	const struct wait_state *waits;
	const struct matched_events *events;
	const struct clocks *clocks;
	const struct run *run;
	struct run_waits *to;
	uint32_t *calls; /* events that waited, by process, thread and time */
	size_t call_count;
	uint32_t *timeline,
		*position; /* the same of all events; where each is */
	uint32_t *first;   /* of each record: its operation's */
	struct cause_sum *causes;
	size_t cause_count, cause_room;
	struct map map; /* (kind, victim; culprit) to cause */
	struct detail_sums contexts, victims;
	double scale;
	int err;
};

/* The wait that is blamed on somebody: event i's. */
struct blamed_wait {
	uint32_t wait;
	uint32_t kind, victim, process;
	int64_t grain;
	double early; /* share of it */
	double clock_ns;
	unsigned int depth;
};

/*
 * Sums.
 */

static struct cause_sum *
find_cause(struct blaming *b, const struct blamed_wait *of, uint32_t culprit)
{
	uint32_t at = map_put(&b->map, (uint64_t)of->kind << 32 | of->victim,
			      culprit, (uint32_t)b->cause_count);
	struct cause_sum new = { .sum = { .kind = of->kind,
					  .victim = of->victim,
					  .culprit = culprit } };

	if (at == MAP_NONE ||
	    (at == b->cause_count &&
	     !array_append(&b->causes, &b->cause_count, &b->cause_room,
			   sizeof(new), &new))) {
		b->err = -ENOMEM;
		return NULL;
	}
	return &b->causes[at];
}

static void add_detail(struct blaming *b, struct detail_sums *to,
		       uint32_t cause, uint32_t what, uint32_t flags, double ns,
		       uint64_t samples)
{
	uint32_t at = map_put(&to->map, (uint64_t)cause << 32 | what, flags,
			      (uint32_t)to->count);
	struct detail_sum new = { .cause = cause,
				  .what = what,
				  .flags = flags };

	if (at == MAP_NONE ||
	    (at == to->count && !array_append(&to->at, &to->count, &to->room,
					      sizeof(new), &new))) {
		b->err = -ENOMEM;
		return;
	}
	to->at[at].ns += ns;
	to->at[at].samples += samples;
}

/* Waits come cluster by cluster. */
static void add_to_cluster(struct cause_sum *cause,
			   const struct event_record *p, double ns)
{
	uint64_t number = p->cluster ? p->cluster : p->key;

	if (!p->cluster)
		ns *= sqrt(CLUSTER);
	if (number != cause->number) {
		cause->squares += cause->cluster * cause->cluster;
		cause->cluster = 0;
		cause->number = number;
	}
	cause->cluster += ns;
}

/*
 * Where the culprit was.
 */

static size_t first_after(const struct series *s, int64_t ns)
{
	size_t from = 0, to = s->count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (s->at[middle].ns <= ns)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/*
 * What a trace point accounts for: the time since the one before, and behind
 * the last one the rest of the window.  If threads that blocked were not
 * sampled both are bounded: a short rest is waiting for a core or for a disk, a
 * long one is somewhere else.  The end of a call for files has the call's time.
 */
static double time_accounted(const struct series *s, size_t i, int64_t from,
			     int64_t to)
{
	int64_t before = i && s->at[i - 1].ns > from ? s->at[i - 1].ns : from;
	bool last = i + 1 == s->count || s->at[i + 1].ns > to;
	double most = REST_NS + 4 * s->period_ns;

	if (s->wall || s->at[i].weight_ns % 2)
		return fmin(s->every * (double)s->at[i].weight_ns,
			    (double)(s->at[i].ns - before));
	return fmin((double)(s->at[i].ns - before), most) +
	       (last ? fmin((double)(to - s->at[i].ns), most) : 0);
}

/* What the process of the event did in its other threads. */
static void add_helper_details(struct blaming *b, uint32_t cause,
			       const struct event_record *by, int64_t from,
			       int64_t to)
{
	const struct series *s =
		match_series(b->events, by->process, MATCH_HELPERS);

	for (size_t i = s ? first_after(s, from) : 0;
	     s && i < s->count && s->at[i].ns <= to && !b->err; i++)
		add_detail(b, &b->contexts, cause, s->at[i].node,
			   RUN_CONTEXT_HELPERS,
			   s->every * (double)s->at[i].weight_ns, 1);
}

/* The culprit's event `by` was late; it is blamed for from … to. */
static void add_contexts(struct blaming *b, struct cause_sum *cause,
			 const struct event_record *by, int64_t from,
			 int64_t to)
{
	const struct series *s =
		match_series(b->events, by->process, by->thread);
	uint32_t index = (uint32_t)(cause - b->causes);
	uint32_t caller = b->run->nodes[by->begin_node].parent;

	add_detail(b, &b->contexts, index, caller, RUN_CONTEXT_UNSAMPLED,
		   (double)(to - from), 0);
	cause->blamed_ns += (double)(to - from);
	add_helper_details(b, index, by, from, to);
	if (!s)
		return;
	cause->period_ns = fmax(cause->period_ns, s->period_ns);
	for (size_t i = first_after(s, from);
	     i < s->count && s->at[i].ns <= to && !b->err; i++) {
		double ns = time_accounted(s, i, from, to);

		add_detail(b, &b->contexts, index, s->at[i].node, 0, ns, 1);
		cause->covered_ns += ns;
		cause->samples++;
	}
}

/* How many operations the wait represents: some are kept whatever the level. */
static double wait_weight(const struct blaming *b, size_t wait)
{
	return match_weight(b->events, &b->events->at[wait]);
}

/* The cause, for so much of the wait; NULL after a failure. */
static struct cause_sum *add_blame(struct blaming *b,
				   const struct blamed_wait *of,
				   const struct event_record *by,
				   int64_t part_ns)
{
	struct cause_sum *cause = find_cause(b, of, by->process);
	double scale = wait_weight(b, of->wait);
	double ns = scale * (double)part_ns;

	if (!cause)
		return NULL;
	cause->sum.ns += ns;
	cause->sum.early_ns += of->early * ns;
	if (of->depth)
		cause->sum.indirect_ns += ns;
	if (cause->last != of->wait + 1) {
		cause->last = of->wait + 1;
		cause->sum.instances++;
		cause->sum.clock_ns += scale * of->clock_ns;
	}
	if (scale > 1)
		add_to_cluster(cause, &b->events->at[of->wait], ns);
	b->to->ranks[by->process].caused_ns += ns;
	add_detail(b, &b->victims, (uint32_t)(cause - b->causes), of->process,
		   0, ns, 0);
	return cause;
}

/*
 * Handing on.
 */

static bool same_thread(const struct event_record *p,
			const struct event_record *q)
{
	return p->process == q->process && p->thread == q->thread;
}

static bool is_before(const struct event_record *p,
		      const struct event_record *q, int64_t ns)
{
	if (p->process != q->process)
		return p->process < q->process;
	if (p->thread != q->thread)
		return p->thread < q->thread;
	return p->enter < ns;
}

/* How many calls come before those that q's thread entered at `ns` or later:
   the last of them is this thread's, if it has one before. */
static size_t calls_before(const struct blaming *b,
			   const struct event_record *q, int64_t ns)
{
	size_t from = 0, to = b->call_count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (is_before(&b->events->at[b->calls[middle]], q, ns))
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static int64_t end_of_wait(const struct blaming *b, uint32_t i)
{
	return b->events->at[i].enter + b->waits[i].ns;
}

/* How long q's thread waited from … to; -1: too many calls to look at. */
static int64_t waited_between(const struct blaming *b,
			      const struct event_record *q, int64_t from,
			      int64_t to)
{
	size_t c = calls_before(b, q, to);
	int64_t sum = 0;

	for (int steps = 0; c-- > 0; steps++) {
		uint32_t i = b->calls[c];
		const struct event_record *p = &b->events->at[i];
		int64_t low = p->enter > from ? p->enter : from;
		int64_t high = end_of_wait(b, i) < to ? end_of_wait(b, i) : to;

		if (!same_thread(p, q) || high <= from)
			break;
		if (steps == STEPS)
			return -1;
		if (high > low)
			sum += high - low;
	}
	return sum;
}

/* The record of q's thread in the operation of record i, or NULL. */
static const struct event_record *partner_record(const struct blaming *b,
						 uint32_t i,
						 const struct event_record *q)
{
	const struct event_record *at = b->events->at;
	/* A matched operation has all its records. */
	size_t from = b->first[i], to = from + at[from].size;

	if (at[from].kind <= LIVE_EVENT_RECV) {
		const struct event_record *other = &at[from + (from == i)];

		return same_thread(other, q) ? other : NULL;
	}
	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (at[middle].process < q->process)
			from = middle + 1;
		else
			to = middle;
	}
	return from < b->events->count && at[from].key == at[i].key &&
			       same_thread(&at[from], q)
		       ? &at[from]
		       : NULL;
}

/*
 * When two were in the same operation: both at the same time or, where one had
 * left before the other came, the first of them.
 */
static int64_t meeting_time(const struct event_record *p,
			    const struct event_record *q)
{
	int64_t first = p->enter < q->enter ? p->enter : q->enter;
	int64_t last = p->enter > q->enter ? p->enter : q->enter;

	return last <= p->leave && last <= q->leave ? last : first;
}

/*
 * How much of event v's wait its culprit has handed on from before: since they
 * last met, it waited for others so much longer than the victim did, and came
 * later for it.
 */
static int64_t excess_wait(const struct blaming *b, uint32_t v)
{
	const struct event_record *p = &b->events->at[v], *met = NULL, *own = p;
	const struct event_record *by = &b->events->at[b->waits[v].culprit];
	int64_t since, his, mine;

	for (uint32_t at = b->position[v], steps = 0;
	     at-- > 0 && steps < STEPS && !met; steps++) {
		own = &b->events->at[b->timeline[at]];
		if (!same_thread(own, p))
			break;
		if (own->enter < p->enter)
			met = partner_record(b, b->timeline[at], by);
	}
	if (!met)
		return 0;
	since = meeting_time(own, met);
	his = waited_between(b, by, since, by->begin);
	mine = waited_between(b, p, since, p->enter);
	return his > mine && mine >= 0 ? his - mine : 0;
}

/* The culprit's own share, and where it was, but for what it waited. */
static void blame_culprit_itself(struct blaming *b,
				 const struct blamed_wait *of,
				 const struct event_record *by, int64_t low,
				 int64_t high, int64_t ns)
{
	struct cause_sum *cause = add_blame(b, of, by, ns);
	size_t c = calls_before(b, by, high);

	while (cause && c-- > 0 && !b->err) {
		uint32_t i = b->calls[c];
		int64_t end = end_of_wait(b, i);

		if (!same_thread(&b->events->at[i], by) || end <= low)
			break;
		if (end < high)
			add_contexts(b, cause, by, end, high);
		high = b->events->at[i].enter;
	}
	if (cause && low < high && !b->err)
		add_contexts(b, cause, by, low, high);
}

/*
 * The culprit of event v's wait from low to high is blamed for it, except what
 * it waited itself: meanwhile, or before, if it came later for it.  Recursion
 * ends at DEPTH, or where the victim would be blamed itself.
 */
static void blame_whom_culprit_awaited(struct blaming *b,
				       struct blamed_wait *of, uint32_t v,
				       int64_t low, int64_t high)
{
	const struct event_record *by = &b->events->at[b->waits[v].culprit];
	int64_t more = excess_wait(b, v), handed = 0;
	size_t c = calls_before(b, by, high);

	more = more < high - low ? more : high - low;
	while (c-- > 0 && of->depth < DEPTH && !b->err) {
		uint32_t i = b->calls[c];
		const struct event_record *p = &b->events->at[i];
		int64_t end =
			end_of_wait(b, i) < high ? end_of_wait(b, i) : high;
		int64_t inside = end > low ? end - low : 0;
		int64_t before = more - handed - inside;
		int64_t most = inside + (before > 0 ? before : 0);
		int64_t from = p->enter > end - most ? p->enter : end - most;

		if (!same_thread(p, by) || (end <= low && before <= 0))
			break;
		if (end - from < of->grain || i == of->wait ||
		    same_thread(&b->events->at[b->waits[i].culprit],
				&b->events->at[of->wait]))
			continue;
		of->depth++;
		blame_whom_culprit_awaited(b, of, i, from, end);
		of->depth--;
		handed += end - from;
	}
	if (handed < high - low)
		blame_culprit_itself(b, of, by, low, high, high - low - handed);
}

static void blame_wait(struct blaming *b, uint32_t wait)
{
	const struct wait_state *w = &b->waits[wait];
	const struct event_record *p = &b->events->at[wait];
	const struct event_record *by = &b->events->at[w->culprit];
	double clock = clocks_error(b->clocks, p->process, by->process);
	struct blamed_wait of = { .wait = wait,
				  .kind = w->kind,
				  .victim = p->node,
				  .process = p->process,
				  .grain = w->ns / GRAIN + 1,
				  .early = (double)w->early / (double)w->ns,
				  .clock_ns = clock };

	blame_whom_culprit_awaited(b, &of, wait, p->enter, p->enter + w->ns);
}

/*
 * Orders.
 */

ORDER_ROWS_BY(by_enter_time, struct matched_events, of->at,
	      ASC(process) ?: ASC(thread) ?: ASC(enter) ?: ORDER(*i, *j))

/* By key, process, …, as they are. */
ORDER_ROWS_BY(by_cluster, struct matched_events, of->at,
	      ASC(cluster) ?: ORDER(*i, *j))

static int list_calls(struct blaming *b)
{
	size_t count = b->events->count;

	b->calls = calloc(count + 1, sizeof(*b->calls));
	b->timeline = calloc(count + 1, sizeof(*b->timeline));
	b->position = calloc(count + 1, sizeof(*b->position));
	b->first = calloc(count + 1, sizeof(*b->first));
	if (!b->calls || !b->timeline || !b->position || !b->first)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		b->timeline[i] = b->first[i] = (uint32_t)i;
		if (i && b->events->at[i - 1].key == b->events->at[i].key)
			b->first[i] = b->first[i - 1];
	}
	qsort_r(b->timeline, count, sizeof(*b->timeline), by_enter_time,
		(void *)b->events);
	for (size_t i = 0; i < count; i++) {
		uint32_t at = b->timeline[i];

		b->position[at] = (uint32_t)i;
		if (b->waits[at].ns > 0)
			b->calls[b->call_count++] = at;
	}
	return 0;
}

static int blame_all(struct blaming *b)
{
	uint32_t *order = calloc(b->call_count + 1, sizeof(*order));

	if (!order)
		return -ENOMEM;
	memcpy(order, b->calls, b->call_count * sizeof(*order));
	qsort_r(order, b->call_count, sizeof(*order), by_cluster,
		(void *)b->events);
	for (size_t i = 0; i < b->call_count && !b->err; i++)
		blame_wait(b, order[i]);
	free(order);
	return b->err;
}

/*
 * What is kept.
 */

/* Largest first; then by what they are, whatever the order of the files. */
ORDER_ROWS_BY(by_blamed_time, struct cause_sum, of,
	      DESC(sum.ns) ?: ASC(sum.kind) ?: ASC(sum.victim) ?:
	      ASC(sum.culprit))

ORDER_BY(by_cause_size, struct run_cause_context,
	 ASC(cause) ?: ASC(flags & RUN_CONTEXT_HELPERS) ?: DESC(ns) ?:
	 ASC(node) ?: ASC(flags))

ORDER_BY(by_cause_rank, struct run_cause_victim, ASC(cause) ?: ASC(rank))

void waits_sort(struct run_waits *w)
{
	if (w->context_count)
		qsort(w->contexts, w->context_count, sizeof(*w->contexts),
		      by_cause_size);
	if (w->victim_count)
		qsort(w->victims, w->victim_count, sizeof(*w->victims),
		      by_cause_rank);
}

static double cause_variance(const struct blaming *b,
			     const struct cause_sum *cause)
{
	double squares = cause->squares + cause->cluster * cause->cluster;

	return squares * (1 - 1 / b->scale); /* of sums that are scaled */
}

/* Where the n-th largest goes. */
static void put_cause(struct blaming *b, const struct cause_sum *cause,
		      size_t n)
{
	struct run_cause *to = &b->to->causes[n];
	struct run_cause one = cause->sum;

	if (n < CAUSES) {
		*to = one;
		to->error_ns = sqrt(cause_variance(b, cause));
		return;
	}
	*to = (struct run_cause){
		.culprit = WAIT_OTHERS,
		.instances = to->instances + one.instances,
		.ns = to->ns + one.ns,
		.error_ns = hypot(to->error_ns, sqrt(cause_variance(b, cause))),
		.clock_ns = to->clock_ns + one.clock_ns,
		.indirect_ns = to->indirect_ns + one.indirect_ns,
		.early_ns = to->early_ns + one.early_ns,
	};
	b->to->joined.other_causes++;
}

/* number[i] becomes the number of cause i. */
static int put_causes(struct blaming *b, uint32_t *number)
{
	uint32_t *order = calloc(b->cause_count + 1, sizeof(*order));
	size_t kept = b->cause_count > CAUSES ? CAUSES + 1 : b->cause_count;

	b->to->causes = calloc(kept + 1, sizeof(*b->to->causes));
	if (!order || !b->to->causes) {
		free(order);
		return -ENOMEM;
	}
	for (size_t i = 0; i < b->cause_count; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, b->cause_count, sizeof(*order), by_blamed_time,
		b->causes);
	for (size_t i = 0; i < b->cause_count; i++) {
		size_t n = i < CAUSES ? i : CAUSES;

		number[order[i]] = (uint32_t)n;
		put_cause(b, &b->causes[order[i]], n);
	}
	b->to->cause_count = kept;
	free(order);
	return 0;
}

/*
 * Which share of a cause samples cannot account for: what is missing of its
 * time by more than chance, where each sample is worth a period on a core.
 */
static double unsampled_share(const struct cause_sum *cause)
{
	double all = cause->blamed_ns, samples = (double)cause->samples;
	double missing =
		all - fmax(cause->covered_ns, samples * cause->period_ns);
	double chance = 3 * cause->period_ns * sqrt(samples + 1);

	if (!cause->samples)
		return 1;
	return missing > 0.1 * all + chance ? missing / all : 0;
}

static int put_contexts(struct blaming *b, const uint32_t *number)
{
	struct run_cause_context *to =
		calloc(b->contexts.count + 1, sizeof(*to));

	b->to->contexts = to;
	if (!to)
		return -ENOMEM;
	for (size_t i = 0; i < b->contexts.count; i++) {
		const struct detail_sum *s = &b->contexts.at[i];
		const struct cause_sum *cause = &b->causes[s->cause];
		double share = unsampled_share(cause);
		double of = cause->covered_ns;

		if (s->flags)
			of = cause->blamed_ns;
		else
			share = 1 - share;
		if (number[s->cause] == CAUSES || share <= 0 || of <= 0)
			continue;
		if (s->flags & RUN_CONTEXT_HELPERS)
			share = 1; /* of all the time: several may be busy */
		to[b->to->context_count++] = (struct run_cause_context){
			.cause = number[s->cause],
			.node = s->what,
			.flags = s->flags,
			.ns = cause->sum.ns * share * s->ns / of,
			.samples = s->samples,
		};
	}
	return 0;
}

static int put_victims(struct blaming *b, const uint32_t *number)
{
	struct run_cause_victim *to = calloc(b->victims.count + 1, sizeof(*to));

	b->to->victims = to;
	if (!to)
		return -ENOMEM;
	for (size_t i = 0; i < b->victims.count; i++) {
		const struct detail_sum *s = &b->victims.at[i];

		if (number[s->cause] < CAUSES)
			to[b->to->victim_count++] = (struct run_cause_victim){
				.cause = number[s->cause],
				.rank = s->what,
				.ns = s->ns,
			};
	}
	return 0;
}

static int put_all_causes(struct blaming *b)
{
	uint32_t *number = calloc(b->cause_count + 1, sizeof(*number));
	int err = number ? put_causes(b, number) : -ENOMEM;

	if (!err)
		err = put_contexts(b, number);
	if (!err)
		err = put_victims(b, number);
	if (!err)
		waits_sort(b->to);
	free(number);
	return err;
}

int waits_blame(struct run_waits *to, const struct wait_state *waits,
		const struct matched_events *events,
		const struct clocks *clocks, const struct run *run)
{
	struct blaming b = { .waits = waits,
			     .events = events,
			     .clocks = clocks,
			     .run = run,
			     .to = to,
			     .scale = ldexp(1, (int)events->level) };
	int err = list_calls(&b);

	if (!err)
		err = blame_all(&b);
	if (!err)
		err = put_all_causes(&b);
	free(b.calls);
	free(b.timeline);
	free(b.position);
	free(b.first);
	free(b.causes);
	free(b.contexts.at);
	free(b.victims.at);
	map_fini(&b.map);
	map_fini(&b.contexts.map);
	map_fini(&b.victims.map);
	return err ? no_memory() : 0;
}
