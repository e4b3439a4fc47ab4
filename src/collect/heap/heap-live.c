/* SPDX-License-Identifier: BSD-3-Clause */
/* heap-live.c - see heap-live.h. */
#include "collect/heap/heap-live.h"

#include "base/hidden.h"
#include "base/sys.h"
#include "collect/collect.h"
#include "collect/heap/heap-chance.h"
#include "collect/lock.h"
#include "collect/registry.h"
#include "collect/source.h"
#include "collect/thread.h"
#include "collect/time.h"
#include "live/chunk.h"

enum {
	FIRST_PLACES = 1024,
	PLACES = 1 << 16, /* twice as many as may be live */
	SATURATED = UINT8_MAX,
	LEAST_INTERVAL = 1 << 16, /* bytes */
	JUDGED = 256,             /* samples, whose cost is compared */
	STEPS_MOST = 4,
	CREDIT_NS = 5000000,
	COST_MOST_NS = 30000, /* one that takes more has lost its core */
	YOUNG_NS = 1000000,
	FIRST_WIDTH_NS = 1000000,
};
#define MOST_INTERVAL ((uint64_t)1 << 40)
#define PER_MILLION   1000000

/* Open addressing.  Who reads without the lock may read one that is old. */
struct block_table {
	uint32_t mask;
	struct heap_block at[];
};

/* Mutable: see heap-sample.h. */
PUBLIC uint8_t copse_heap_filter[HEAP_FILTER];

/* Mutable: the process's, written under the lock. */
static struct {
	struct lock lock;
	uint32_t version; /* odd: places are being moved; atomic */
	struct block_table *table, *spare; /* NULL: none yet */
	uint32_t count;
	uint32_t generation; /* of the profile that the sums are in */
	struct arena *arena;
	struct chunk_list list;
	uint64_t seq; /* number of the last event */
	uint64_t lot;
	uint64_t interval; /* atomic; 0: the least */
	uint64_t least;    /* it is not to be less; 0: LEAST_INTERVAL */
	uint64_t muted;    /* before there was a profile; atomic */
	uint32_t judged;   /* samples since the interval was; atomic */
	uint64_t cost_ns;  /* of all samples; atomic */
	uint64_t cost_then_ns, cpu_then_ns; /* when it was judged last */
} heap RESET_AT_FORK;

uint64_t heap_live_interval(void)
{
	uint64_t is = __atomic_load_n(&heap.interval, __ATOMIC_RELAXED);

	return is ? is : LEAST_INTERVAL;
}

void heap_live_muted(void)
{
	struct live_header *header = registry_header();

	__atomic_fetch_add(header ? &header->losses[LOSS_HEAP_MUTED]
				  : &heap.muted,
			   1, __ATOMIC_RELAXED);
}

/* Sums */

static double block_chance(const struct heap_block *b)
{
	return chance_some((double)b->bytes / b->interval);
}

/* What the block stands for, `sign` times. */
static void amount_add(struct live_heap_amount *to, const struct heap_block *b,
		       double sign)
{
	double p = block_chance(b), bytes = (double)b->bytes / p;

	to->blocks += sign / p;
	to->bytes += sign * bytes;
	to->blocks_error += sign * (1 - p) / p / p;
	to->bytes_error += sign * (1 - p) * bytes * bytes;
}

static struct live_heap_sum *heap_sum_at(live_ref ref)
{
	return arena_at(heap.arena, ref);
}

/* Bins of twice the width: what was at the end of the second of each two. */
static void widen_heap_bins(struct live_heap_sum *e)
{
	e->bin /= 2;
	for (uint32_t i = 0; i < e->bin; i++)
		e->bins[i] = e->bins[2 * i + 1];
	e->widened++;
}

/* Before a change: until now it was so. */
static void keep_heap_bins(struct live_heap *h, struct live_heap_sum *e,
			   uint64_t now)
{
	uint64_t since = now > h->first_ns ? now - h->first_ns : 0;

	while (since / h->width_ns >= LIVE_HEAP_BINS) {
		h->width_ns *= 2;
		h->widened++;
	}
	while (e->widened != h->widened)
		widen_heap_bins(e);
	while (e->bin < since / h->width_ns)
		e->bins[e->bin++] = e->live.bytes;
}

/* Before a change: what was live at the peak is known from now on. */
static void keep_heap_peak(const struct live_heap *h, struct live_heap_sum *e)
{
	if (e->changed <= h->peak_seq)
		e->at_peak = e->live;
}

static void change_live(const struct heap_block *b, double sign, uint64_t now)
{
	struct live_heap *h = &registry_header()->heap;
	struct live_heap_sum *e = heap_sum_at(b->sum);

	keep_heap_peak(h, e);
	keep_heap_bins(h, e, now);
	amount_add(&e->live, b, sign);
	h->live += sign * (double)b->bytes / block_chance(b);
	e->changed = ++heap.seq;
}

static void raise_heap_peak(struct live_header *header, uint64_t now)
{
	struct live_heap *h = &header->heap;

	if (h->live <= h->peak)
		return;
	h->peak = h->live;
	h->peak_seq = heap.seq;
	header->heap_peak_ns =
		now > header->start_mono_ns ? now - header->start_mono_ns : 0;
}

/* The sums of a node of the thread's, made when they are new; 0: no memory. */
static live_ref heap_sum_of(struct thread *t, live_ref node)
{
	struct live_header *header = registry_header();
	uint64_t *cell = tree_value(&t->tree, node, LIVE_CELL_HEAP);
	live_ref ref = cell ? (live_ref)*cell : 0;

	if (!cell || ref)
		return ref;
	ref = chunk_take(heap.arena, &heap.list, &header->heap.sums,
			 sizeof(struct live_heap_sum));
	if (!ref)
		return 0;
	heap_sum_at(ref)->node = node;
	heap_sum_at(ref)->thread = t->index;
	heap_sum_at(ref)->widened = header->heap.widened;
	chunk_commit(heap.arena, &heap.list);
	*cell = ref;
	return ref;
}

/* Blocks */

static uint32_t block_home(const struct block_table *table, uint64_t address)
{
	return (uint32_t)(address * 0x9e3779b97f4a7c15u >> 32) & table->mask;
}

/* The block's place, or where it is to be. */
static struct heap_block *find_block(struct block_table *table,
				     uint64_t address)
{
	uint32_t at = block_home(table, address);

	while (table->at[at].address && table->at[at].address != address)
		at = (at + 1) & table->mask;
	return &table->at[at];
}

static void note_in_filter(uint64_t address, int change)
{
	uint8_t *at = heap_filter_place((const void *)(uintptr_t)address);

	if (*at != SATURATED)
		__atomic_store_n(at, (uint8_t)(*at + change), __ATOMIC_RELAXED);
}

static void begin_moving(void)
{
	__atomic_store_n(&heap.version, heap.version + 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void end_moving(void)
{
	__atomic_store_n(&heap.version, heap.version + 1, __ATOMIC_RELEASE);
}

/* Zeroed, of so many places; not seen by others yet.  NULL: no memory. */
static struct block_table *take_table(uint32_t places)
{
	struct block_table *table = heap.spare;
	uint64_t size = sizeof(*table) + places * sizeof(struct heap_block);

	heap.spare = NULL;
	if (table && table->mask + 1 == places)
		__builtin_memset(table->at, 0, size - sizeof(*table));
	else
		table = sys_memory(size);
	if (table)
		table->mask = places - 1;
	return table;
}

/* The old one is never given back: somebody may just look at it. */
static void change_table(struct block_table *table)
{
	heap.spare = heap.table;
	__atomic_store_n(&heap.table, table, __ATOMIC_RELEASE);
}

static bool grow_blocks(void)
{
	uint32_t size = heap.table ? 2 * (heap.table->mask + 1) : FIRST_PLACES;
	struct block_table *bigger = take_table(size);

	if (!bigger)
		return false;
	for (uint32_t i = 0; heap.table && i <= heap.table->mask; i++)
		if (heap.table->at[i].address)
			*find_block(bigger, heap.table->at[i].address) =
				heap.table->at[i];
	begin_moving();
	change_table(bigger);
	end_moving();
	return true;
}

/* As if the interval had been `longer` from the first on. */
static bool is_drawn_again(struct heap_block *b, double longer)
{
	double before = block_chance(b);

	if (b->interval >= longer)
		return true;
	b->interval = longer;
	return chance_number(&heap.lot) * before <= block_chance(b);
}

static void thin_block(struct block_table *into, struct heap_block b,
		       double longer, uint64_t now)
{
	bool of_ours = b.generation == heap.generation;

	if (of_ours)
		change_live(&b, -1, now);
	if (of_ours && is_drawn_again(&b, longer)) {
		change_live(&b, 1, now);
		*find_block(into, b.address) = b;
		return;
	}
	note_in_filter(b.address, -1);
	heap.count--;
}

static bool thin_blocks(uint64_t now)
{
	struct block_table *into = take_table(PLACES);
	uint64_t longer = 2 * heap_live_interval();

	if (!into)
		return false;
	begin_moving();
	for (uint32_t i = 0; i < PLACES; i++)
		if (heap.table->at[i].address)
			thin_block(into, heap.table->at[i], (double)longer,
				   now);
	change_table(into);
	end_moving();
	__atomic_store_n(&heap.interval, longer, __ATOMIC_RELAXED);
	heap.least = longer;
	registry_header()->losses[LOSS_HEAP_THINNED]++;
	return true;
}

static bool have_room(uint64_t now)
{
	if (heap.table && heap.count <= heap.table->mask / 2)
		return true;
	if (!heap.table || heap.table->mask + 1 < PLACES)
		return grow_blocks();
	while (heap.count > PLACES / 8 * 3)
		if (heap_live_interval() >= MOST_INTERVAL || !thin_blocks(now))
			return false;
	return true;
}

/* The sums that it has are there. */
static bool is_in_profile(const struct heap_block *b)
{
	return b->generation == heap.generation &&
	       heap.generation == registry_generation() && registry_header();
}

/* One that has the same address was freed unseen. */
static void put_block(const struct heap_block *b)
{
	struct heap_block *place = find_block(heap.table, b->address);

	if (!place->address) {
		heap.count++;
		note_in_filter(b->address, 1);
	} else if (is_in_profile(place)) {
		change_live(place, -1, b->ns);
	}
	*place = *b;
}

/* What follows moves up, that it is still found. */
static void remove_block(struct heap_block *place)
{
	struct block_table *table = heap.table;
	uint32_t hole = (uint32_t)(place - table->at), at = hole, home;

	note_in_filter(place->address, -1);
	heap.count--;
	begin_moving();
	for (;;) {
		at = (at + 1) & table->mask;
		if (!table->at[at].address)
			break;
		home = block_home(table, table->at[at].address);
		if (((at - home) & table->mask) < ((at - hole) & table->mask))
			continue;
		table->at[hole] = table->at[at];
		hole = at;
	}
	table->at[hole] = (struct heap_block){ 0 };
	end_moving();
}

/* A profile of its own: of a forked child, none of the parent's is sampled. */
static void open_heap_profile(struct live_header *header, struct arena *arena)
{
	if (heap.count) {
		begin_moving();
		__builtin_memset(heap.table->at, 0,
				 (heap.table->mask + 1) *
					 sizeof(struct heap_block));
		for (uint32_t i = 0; i < HEAP_FILTER; i++)
			if (copse_heap_filter[i] != SATURATED)
				copse_heap_filter[i] = 0;
		end_moving();
	}
	heap.count = 0;
	heap.arena = arena;
	heap.list = (struct chunk_list){ 0 };
	heap.generation = registry_generation();
	heap.lot = heap.generation ^ 0x9e3779b97f4a7c15u;
	header->heap.first_ns = time_now(CLOCK_MONOTONIC);
	header->heap.width_ns = FIRST_WIDTH_NS;
	header->losses[LOSS_HEAP_MUTED] += heap.muted;
	heap.muted = 0;
}

static void count_sample(struct live_header *header, const struct heap_block *b)
{
	struct live_heap_sum *e = heap_sum_at(b->sum);

	e->samples++;
	amount_add(&e->all, b, 1);
	change_live(b, 1, b->ns);
	raise_heap_peak(header, b->ns);
	header->heap_samples++;
	if (header->heap_interval < (uint64_t)b->interval)
		header->heap_interval = (uint64_t)b->interval;
}

bool heap_live_add(struct thread *t, live_ref node, struct heap_block *block)
{
	struct live_header *header = registry_header();
	bool ok;

	lock_take(&heap.lock);
	if (!header->heap.width_ns)
		open_heap_profile(header, t->tree.arena);
	block->generation = heap.generation;
	block->sum = have_room(block->ns) ? heap_sum_of(t, node) : 0;
	ok = block->sum;
	if (ok) {
		put_block(block);
		count_sample(header, block);
	}
	lock_give(&heap.lock);
	return ok;
}

bool heap_live_has(uint64_t address)
{
	uint32_t version = __atomic_load_n(&heap.version, __ATOMIC_ACQUIRE);
	const struct block_table *table =
		__atomic_load_n(&heap.table, __ATOMIC_ACQUIRE);
	uint64_t is;

	if (!table)
		return false;
	for (uint32_t i = block_home(table, address);; i++) {
		is = __atomic_load_n(&table->at[i & table->mask].address,
				     __ATOMIC_RELAXED);
		if (!is || is == address)
			break;
	}
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return is || version % 2 ||
	       version != __atomic_load_n(&heap.version, __ATOMIC_RELAXED);
}

static void count_freed_block(const struct heap_block *b, uint64_t now)
{
	change_live(b, -1, now);
	if (now - b->ns < YOUNG_NS)
		amount_add(&heap_sum_at(b->sum)->young, b, 1);
}

bool heap_live_take(uint64_t address, struct heap_block *was)
{
	uint64_t now = time_now(CLOCK_MONOTONIC);
	struct heap_block *place;

	lock_take(&heap.lock);
	place = heap.table ? find_block(heap.table, address) : NULL;
	was->address = 0;
	if (place && place->address) {
		*was = *place;
		remove_block(place);
		if (is_in_profile(was))
			count_freed_block(was, now);
	}
	lock_give(&heap.lock);
	return was->address;
}

void heap_live_put_back(const struct heap_block *was)
{
	lock_take(&heap.lock);
	if (is_in_profile(was) && have_room(was->ns)) {
		put_block(was);
		change_live(was, 1, time_now(CLOCK_MONOTONIC));
	}
	lock_give(&heap.lock);
}

static uint64_t cost_allowed(uint64_t cpu_ns)
{
	return cpu_ns * collect_settings()->budget / 2 / PER_MILLION;
}

/*
 * Half of the budget is for these samples, and CREDIT_NS that short processes
 * are measured, too; much less, and they come closer.
 */
static void judge_interval(uint64_t cost, uint64_t cpu)
{
	uint64_t lately = cost - heap.cost_then_ns;
	uint64_t allowed = cost_allowed(cpu - heap.cpu_then_ns);
	uint64_t least = heap.least ? heap.least : LEAST_INTERVAL;
	uint64_t is = heap_live_interval();

	if (cost <= cost_allowed(cpu) + CREDIT_NS)
		lately = lately < allowed ? lately : allowed;
	if (lately < allowed / 8 && is > least)
		is /= 2;
	for (int i = 0; i < STEPS_MOST && lately > allowed; i++) {
		lately /= 2;
		is = is < MOST_INTERVAL ? 2 * is : is;
	}
	__atomic_store_n(&heap.interval, is, __ATOMIC_RELAXED);
	heap.cost_then_ns = cost;
	heap.cpu_then_ns = cpu;
	__atomic_store_n(&heap.judged, 0, __ATOMIC_RELEASE);
}

uint64_t heap_live_cost(uint64_t begin_ns)
{
	uint64_t took = time_now(CLOCK_MONOTONIC) - begin_ns, all;

	if (took > COST_MOST_NS)
		took = COST_MOST_NS;
	all = __atomic_add_fetch(&heap.cost_ns, took, __ATOMIC_RELAXED);
	if (__atomic_add_fetch(&heap.judged, 1, __ATOMIC_ACQUIRE) == JUDGED &&
	    collect_settings()->budget)
		judge_interval(all, time_now(CLOCK_PROCESS_CPUTIME_ID));
	return took;
}

/* What belongs to the parent's profile is told by its generation. */
AT_FORK static void heap_forked(void)
{
	lock_open(&heap.lock);
	if (heap.version % 2)
		heap.version++;
}

/* A child is to draw otherwise than its parent. */
AT_FORK static void reset_heap_lot(struct thread *t)
{
	t->heap_lot = 0;
}

const struct source source_heap_live = {
	.reset = reset_heap_lot,
	.fork = heap_forked,
};
