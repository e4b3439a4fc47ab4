/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-live.c - which allocations are live, by address. */
#include "collect/gpu/gpu-live.h"

#include "base/sys.h"
#include "collect/gpu/gpu-allocs.h"
#include "collect/gpu/gpu.h"
#include "collect/registry.h"
#include "live/chunk.h"

enum {
	FIRST_PLACES = 1024,
	PLACES = 1 << 18, /* twice as many as may be live */
	HOLDERS = 64,     /* devices, and the host */
	FIRST_WIDTH = 1000000,
};

enum state {
	LIVE,
	UNWANTED, /* live, and allocated in a pause */
	FREED,    /* by a call that is known, and never allocated */
};

/* What is at an address; 0: nothing. */
struct place {
	uint64_t address, bytes;
	uint64_t ns;  /* of its last event */
	live_ref ref; /* struct live_memory; FREED: the call's node */
	uint32_t context;
	uint32_t thread; /* FREED: the call's */
	uint16_t state;  /* enum state */
	uint16_t why;    /* FREED: enum loss */
};

/* Mutable: the process's, written under the lock of gpu-allocs.c. */
static struct {
	struct arena *arena;
	struct chunk_list entry_list, holder_list;
	struct place *places; /* open addressing */
	uint32_t size, count;
	live_ref *entries; /* of struct live_memory, open addressing */
	uint32_t entry_size, entry_count;
	live_ref holders[HOLDERS];
	uint64_t seq; /* number of the last event */
} live;

static struct region_name names[LIVE_MEMORY_KINDS] = {
#define MEMORY(id, name, ...)                                                  \
	[LIVE_MEMORY_##id] = { .text = (name), .class = LIVE_NAME_GPU_MEMORY },
#include "live/memories.def"
#undef MEMORY
};

static void unmap_area(void *at, uint64_t size)
{
	if (size)
		sys2(SYS_munmap, at, size);
}

void gpu_live_reset(struct arena *arena)
{
	unmap_area(live.places, live.size * sizeof(*live.places));
	unmap_area(live.entries, live.entry_size * sizeof(*live.entries));
	__builtin_memset(&live, 0, sizeof(live));
	live.arena = arena;
}

/* Sums by context */

static struct live_memory *live_sum_at(live_ref ref)
{
	return arena_at(live.arena, ref);
}

static uint32_t entry_hash(const struct live_memory *e)
{
	uint64_t x = (uint64_t)e->node << 32 | e->device << 8 | e->kind;

	return (uint32_t)(x * 0x9e3779b97f4a7c15u >> 32);
}

static bool grow_live_sums(void)
{
	uint32_t size = live.entry_size ? 2 * live.entry_size : FIRST_PLACES;
	live_ref *bigger = sys_memory((uint64_t)size * sizeof(*bigger));

	if (!bigger)
		return false;
	for (uint32_t i = 0; i < live.entry_size; i++) {
		uint32_t at;

		if (!live.entries[i])
			continue;
		at = entry_hash(live_sum_at(live.entries[i]));
		while (bigger[at & (size - 1)])
			at++;
		bigger[at & (size - 1)] = live.entries[i];
	}
	unmap_area(live.entries, live.entry_size * sizeof(*live.entries));
	live.entries = bigger;
	live.entry_size = size;
	return true;
}

static live_ref new_live_sum(const struct live_memory *like)
{
	struct live_header *header = registry_header();
	struct live_memory entry = *like;
	live_ref ref;

	if (!registry_name(&names[like->kind], &entry.name))
		return 0;
	ref = chunk_take(live.arena, &live.entry_list,
			 &header->gpu_lists.memory, sizeof(entry));
	if (!ref)
		return 0;
	*live_sum_at(ref) = entry;
	chunk_commit(live.arena, &live.entry_list);
	live.entry_count++;
	return ref;
}

/* The sums that are like these, made when they are new; 0: no memory. */
static live_ref find_live_sum(const struct live_memory *like)
{
	uint32_t at = entry_hash(like);
	live_ref ref;

	if (live.entry_count >= live.entry_size / 2 && !grow_live_sums())
		return 0;
	for (; (ref = live.entries[at & (live.entry_size - 1)]); at++) {
		const struct live_memory *e = live_sum_at(ref);

		if (e->node == like->node && e->kind == like->kind &&
		    e->device == like->device && e->why == like->why)
			return ref;
	}
	ref = new_live_sum(like);
	live.entries[at & (live.entry_size - 1)] = ref;
	return ref;
}

static live_ref entry_of(const struct gpu_live_event *event, uint32_t kind,
			 uint32_t device)
{
	struct live_memory like = { .node = event->node,
				    .thread = event->thread,
				    .kind = (uint16_t)kind,
				    .device = device };

	if (kind == LIVE_MEMORY_PINNED || kind == LIVE_MEMORY_PAGEABLE)
		like.device = LIVE_HOST;
	if (!like.node)
		like.why = event->why;
	return find_live_sum(&like);
}

live_ref gpu_live_allocated(const struct gpu_live_event *event, uint32_t kind,
			    uint32_t device)
{
	live_ref ref;

	if (!event->wanted)
		return 0;
	ref = entry_of(event, kind, device);
	if (!ref) {
		copse_gpu_lost(LOSS_GPU_FULL, 1);
		return 0;
	}
	if (!event->node && kind != LIVE_MEMORY_STATIC)
		copse_gpu_lost(LOSS_GPU_MEMORY_PATH, 1);
	live_sum_at(ref)->allocations++;
	live_sum_at(ref)->allocated += event->bytes;
	return ref;
}

/* Devices over time */

static struct live_holder *holder_at(uint32_t i)
{
	return arena_at(live.arena, live.holders[i]);
}

/* NULL: no memory. */
static struct live_holder *holder_of(uint32_t device)
{
	struct live_header *header = registry_header();
	struct live_holder *holder;
	uint32_t i = 0;

	while (i < HOLDERS && live.holders[i] && holder_at(i)->device != device)
		i++;
	if (i == HOLDERS)
		return NULL;
	if (live.holders[i])
		return holder_at(i);
	live.holders[i] =
		chunk_take(live.arena, &live.holder_list,
			   &header->gpu_lists.holders, sizeof(*holder));
	if (!live.holders[i])
		return NULL;
	holder = holder_at(i);
	holder->device = device;
	chunk_commit(live.arena, &live.holder_list);
	return holder;
}

/* Bins of twice the width. */
static void widen_live_bins(struct live_holder *h)
{
	__atomic_store_n(&h->moving, h->moving + 1, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_RELEASE); /* what follows comes later */
	for (uint32_t i = 0; i < LIVE_MEMORY_BINS; i++) {
		uint64_t a = 2 * i < LIVE_MEMORY_BINS ? h->bins[2 * i] : 0;
		uint64_t b = 2 * i < LIVE_MEMORY_BINS ? h->bins[2 * i + 1] : 0;

		h->bins[i] = a > b ? a : b;
	}
	h->last /= 2;
	h->width_ns *= 2;
	__atomic_store_n(&h->moving, h->moving + 1, __ATOMIC_SEQ_CST);
}

/* The bin of that moment is the last; in those before nothing changed. */
static void advance_bins(struct live_holder *h, uint64_t ns)
{
	if (!h->width_ns) {
		h->first_ns = ns;
		h->width_ns = FIRST_WIDTH;
	}
	while (ns > h->first_ns &&
	       (ns - h->first_ns) / h->width_ns >= LIVE_MEMORY_BINS)
		widen_live_bins(h);
	while (ns > h->first_ns && h->last < (ns - h->first_ns) / h->width_ns)
		h->bins[++h->last] = h->live;
}

static void raise_held(struct live_holder *h, const struct live_memory *e,
		       uint64_t bytes, uint64_t ns)
{
	h->live += bytes;
	h->kinds[e->kind].live += bytes;
	if (h->kinds[e->kind].live > h->kinds[e->kind].peak)
		h->kinds[e->kind].peak = h->kinds[e->kind].live;
	if (h->live > h->bins[h->last])
		h->bins[h->last] = h->live;
	if (h->live <= h->peak)
		return;
	h->peak = h->live;
	h->peak_ns = ns;
	h->peak_seq = live.seq;
}

/* Before a change: what was live at the peak is known from now on. */
static void note_peak(struct live_memory *e, const struct live_holder *h)
{
	if (e->changed <= h->peak_seq)
		e->at_peak = e->bytes;
}

static void add_live(live_ref ref, uint64_t bytes, uint64_t ns)
{
	struct live_memory *e = live_sum_at(ref);
	struct live_holder *h = holder_of(e->device);

	live.seq++;
	if (h) {
		note_peak(e, h);
		advance_bins(h, ns);
		raise_held(h, e, bytes, ns);
	}
	e->live++;
	e->bytes += bytes;
	e->changed = live.seq;
}

static void take_live(live_ref ref, uint64_t bytes, uint64_t ns)
{
	struct live_memory *e = live_sum_at(ref);
	struct live_holder *h = holder_of(e->device);

	live.seq++;
	if (h) {
		note_peak(e, h);
		advance_bins(h, ns);
		h->live -= bytes;
		h->kinds[e->kind].live -= bytes;
	}
	e->live--;
	e->bytes -= bytes;
	e->changed = live.seq;
}

/* Addresses */

static uint32_t address_hash(uint64_t address)
{
	return (uint32_t)(address * 0x9e3779b97f4a7c15u >> 32);
}

static struct place *find_address_place(struct place *places, uint32_t size,
					uint64_t address)
{
	uint32_t at = address_hash(address);

	while (places[at & (size - 1)].address &&
	       places[at & (size - 1)].address != address)
		at++;
	return &places[at & (size - 1)];
}

static bool grow_addresses(void)
{
	uint32_t size = live.size ? 2 * live.size : FIRST_PLACES;
	struct place *bigger;

	if (size > PLACES)
		return false;
	bigger = sys_memory(size * sizeof(*bigger));
	if (!bigger)
		return false;
	for (uint32_t i = 0; i < live.size; i++)
		if (live.places[i].address)
			*find_address_place(bigger, size,
					    live.places[i].address) =
				live.places[i];
	unmap_area(live.places, live.size * sizeof(*live.places));
	live.places = bigger;
	live.size = size;
	return true;
}

/* That of the address, or where it is to be; NULL: there is no room. */
static struct place *place_of_address(uint64_t address)
{
	struct place *place =
		live.size ? find_address_place(live.places, live.size, address)
			  : NULL;

	if (place && place->address)
		return place;
	if (live.count >= live.size / 2 && !grow_addresses())
		return NULL;
	return find_address_place(live.places, live.size, address);
}

/* What follows moves up, that it is still found. */
static void remove_place(const struct place *place)
{
	uint32_t hole = (uint32_t)(place - live.places), at = hole, mask;

	mask = live.size - 1;
	live.count--;
	for (;;) {
		uint32_t home;

		at = (at + 1) & mask;
		if (!live.places[at].address)
			break;
		home = address_hash(live.places[at].address) & mask;
		if (((at - home) & mask) < ((at - hole) & mask))
			continue;
		live.places[hole] = live.places[at];
		hole = at;
	}
	live.places[hole] = (struct place){ 0 };
}

/* Events */

static void put_address(struct place *place, const struct gpu_live_event *event)
{
	live.count += !place->address;
	*place = (struct place){ .address = event->address,
				 .bytes = event->bytes,
				 .ns = event->ns,
				 .ref = event->entry,
				 .context = event->context,
				 .state = event->entry ? LIVE : UNWANTED };
	if (event->entry)
		add_live(event->entry, event->bytes, event->ns);
}

/* The call of a free, in the kind of what it frees. */
static void count_free(const struct gpu_live_event *event, live_ref of,
		       uint64_t bytes)
{
	const struct live_memory *freed = live_sum_at(of);
	live_ref ref = entry_of(event, freed->kind, freed->device);

	if (!ref)
		return;
	live_sum_at(ref)->frees++;
	live_sum_at(ref)->freed += bytes;
}

/* The free that came before its allocation. */
static void count_waiting(const struct place *place,
			  const struct gpu_live_event *allocation)
{
	struct gpu_live_event event = { .node = place->ref,
					.thread = place->thread,
					.why = place->why };

	if (allocation->entry)
		count_free(&event, allocation->entry, allocation->bytes);
	copse_gpu_lost(LOSS_GPU_MEMORY_UNKNOWN, (uint64_t)-1);
}

/*
 * Where something is that came later, this one was freed before.  Where a free
 * waits for its allocation, this is it, if it was before.
 */
static void take_allocation(const struct gpu_live_event *event)
{
	struct place *place = place_of_address(event->address);

	if (!place) {
		if (event->entry)
			copse_gpu_lost(LOSS_GPU_MEMORY_FULL, 1);
		return;
	}
	if (place->address && place->ns > event->ns) {
		if (place->state != FREED)
			return;
		count_waiting(place, event);
		remove_place(place);
		return;
	}
	if (place->address && place->state == LIVE)
		take_live(place->ref, place->bytes, event->ns);
	put_address(place, event);
}

/* What is not known may be told of later: its place is kept. */
static void take_unknown(struct place *place,
			 const struct gpu_live_event *event)
{
	if (!event->wanted)
		return;
	copse_gpu_lost(LOSS_GPU_MEMORY_UNKNOWN, 1);
	if (!place)
		return;
	live.count += !place->address;
	*place = (struct place){ .address = event->address,
				 .ns = event->ns,
				 .ref = event->node,
				 .thread = event->thread,
				 .why = event->why,
				 .state = FREED };
}

/* One that is earlier than what is there freed what was there before. */
static void take_free(const struct gpu_live_event *event)
{
	struct place *place = place_of_address(event->address);

	if (!place || !place->address || place->state == FREED) {
		take_unknown(place, event);
		return;
	}
	if (event->wanted && place->state == LIVE)
		count_free(event, place->ref,
			   place->ns > event->ns ? event->bytes : place->bytes);
	if (place->ns > event->ns)
		return;
	if (place->state == LIVE)
		take_live(place->ref, place->bytes, event->ns);
	remove_place(place);
}

/* False: there was none.  What is removed moves others, once round the end. */
static bool take_some(const struct gpu_live_event *event)
{
	bool any = false;

	for (uint32_t i = live.size; i-- > 0;) {
		const struct place place = live.places[i];

		if (!place.address || place.state == FREED ||
		    place.context != event->context || place.ns > event->ns)
			continue;
		if (place.state == LIVE) {
			live_sum_at(place.ref)->reset += place.bytes;
			take_live(place.ref, place.bytes, event->ns);
		}
		remove_place(&live.places[i]);
		any = true;
	}
	return any;
}

void gpu_live_take(const struct gpu_live_event *event)
{
	switch (event->what) {
	case GPU_MEMORY_ALLOCATED:
		take_allocation(event);
		break;
	case GPU_MEMORY_FREED:
		take_free(event);
		break;
	case GPU_MEMORY_CONTEXT:
		while (take_some(event))
			;
		break;
	}
}
