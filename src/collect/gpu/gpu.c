/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu.c - the work of GPUs joined with the calls that began it. */
#include "collect/gpu/gpu.h"

#include <string.h>

#include "arch/page-size.h"
#include "base/hidden.h"
#include "base/gpu-calls.h"
#include "base/sys.h"
#include "collect/collect.h"
#include "collect/gpu/gpu-allocs.h"
#include "collect/gpu/gpu-awaited.h"
#include "collect/gpu/gpu-collectives.h"
#include "collect/gpu/gpu-live.h"
#include "collect/gpu/gpu-pcs.h"
#include "collect/gpu/gpu-shapes.h"
#include "collect/gpu/gpu-slices.h"
#include "collect/gpu/gpu-spans.h"
#include "collect/control.h"
#include "collect/gpu/gpu-idle.h"
#include "collect/gpu/gpu-counters.h"
#include "collect/gpu/gpu-time.h"
#include "collect/regions/region-handler.h"
#include "collect/lock.h"
#include "collect/registry.h"
#include "collect/time.h"
#include "live/chunk.h"
#include "collect/source.h"

enum {
	NOTES = 1 << 18,
	ORIGINS = 1 << 16,
	FIRST_ENTRIES = 1024,
	NOT_WANTED = LOSS_COUNT, /* begun while measuring was paused */
};

/* Of a call; `id` is 0 while the rest is written. */
struct note {
	uint32_t id;
	live_ref node; /* 0: `why` */
	uint32_t thread;
	uint32_t why;  /* enum loss, or NOT_WANTED */
	uint64_t ns;   /* when it was begun, CLOCK_MONOTONIC */
	uint64_t span; /* gpu-spans.h */
};

/* Where a node of a graph is from; `id` 0: nothing. */
struct origin {
	uint64_t id;
	live_ref node;
};

/*
 * Mutable: the notes of this process's calls, written by all threads.  Where
 * they are shares no line of the caches with what other threads write.
 */
static struct {
	struct note *at;
	char apart[CACHE_LINE - sizeof(struct note *)];
} notes __attribute__((aligned(CACHE_LINE)));

/* Mutable: the sums in the live profile, written under the lock. */
static struct {
	uint32_t used; /* 1: there was a call for work; atomic */
	struct lock lock;
	uint32_t generation; /* of the live profile that all is for */
	struct arena *arena;
	struct chunk_list list;
	live_ref *entries; /* of struct live_gpu, open addressing */
	uint32_t size, count;
	struct live_gpu *last; /* of them, that was found */
	struct origin *origins;
} gpu RESET_AT_FORK;

PUBLIC __thread struct gpu_call copse_gpu_call
	__attribute__((tls_model("initial-exec")));

static struct region_name captured = { .text = "[captured]",
				       .class = LIVE_NAME_KERNEL };

static void put_note(uint32_t id, struct note note)
{
	struct note *at = __atomic_load_n(&notes.at, __ATOMIC_ACQUIRE);
	struct note *to = at ? &at[id % NOTES] : NULL;

	if (!to)
		return;
	__atomic_store_n(&to->id, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	to->node = note.node;
	to->thread = note.thread;
	to->why = note.why;
	to->ns = note.ns;
	to->span = note.span;
	__atomic_store_n(&to->id, id, __ATOMIC_RELEASE);
	/* Of one of the next, whose line nobody has had for long. */
	__builtin_prefetch(&at[(id + 8) % NOTES], 1);
}

/* What was noted of an id; else why it was not. */
static struct note find_note(uint32_t id)
{
	const struct note *at = &notes.at[id % NOTES];
	struct note note = { .id = __atomic_load_n(&at->id, __ATOMIC_ACQUIRE) };
	bool later = note.id && (int32_t)(note.id - id) > 0;

	note.node = at->node;
	note.thread = at->thread;
	note.why = at->why;
	note.ns = at->ns;
	note.span = at->span;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (id && note.id == id &&
	    __atomic_load_n(&at->id, __ATOMIC_RELAXED) == id)
		return note;
	return (struct note){ .why = later ? LOSS_GPU_LATE : LOSS_GPU_UNSEEN };
}

/* Of the innermost region, whose own node is found late if it is MPI's. */
static void note_region(struct thread *t, struct note *note)
{
	struct region *r =
		region_known(t, (uintptr_t)__builtin_frame_address(0));
	int why = -1;

	note->thread = t->index;
	if (!r)
		return;
	note->node = r->node;
	if (r->node || !thread_occupy(t))
		return;
	if (thread_open() && t->ready)
		note->node = region_node(t, r, &why);
	thread_release(t);
}

/* The counter that the region was entered with is cheaper than a clock. */
static uint64_t call_begun(const struct thread *t, const struct region *r)
{
	if (!r || r != &t->beyond || !r->counts ||
	    r->start - t->ticks.counter > TICKS_TRUSTED)
		return time_now(CLOCK_MONOTONIC);
	return ticks_at(&t->ticks, r->start);
}

/* From its first work on: what it does decides when there is more. */
static void begin_history(struct thread *t)
{
	struct live_header *header = registry_header();
	uint32_t none = 0;

	t->no_history = true;
	t->history = history_new(t->index);
	if (header &&
	    __atomic_compare_exchange_n(&gpu.used, &none, 1, false,
					__ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
		if (copse_gpu_nodes())
			header->gpu_times.nodes = true;
		header->gpu_times.first_paused_ns = control_paused_ns();
	}
}

PUBLIC void copse_gpu_note(uint32_t id)
{
	struct thread *t = thread_self();
	struct note note = { .why = LOSS_GPU_NO_PATH };

	if (!id)
		return;
	if (collect_paused())
		note.why = NOT_WANTED;
	else if (t)
		note_region(t, &note);
	if (t && !t->no_history && note.node)
		begin_history(t);
	note.ns = call_begun(t, t ? t->region : NULL);
	note.span = t ? gpu_span_of(t) : 0;
	put_note(id, note);
}

/* As copse_gpu_note(), of what the region knows already. */
PUBLIC void copse_gpu_note_of(const struct region *r, uint32_t id)
{
	struct thread *t = thread_self();
	struct note note = { .why = LOSS_GPU_NO_PATH };

	if (!id || !t)
		return;
	note.node = r->node;
	note.thread = t->index;
	if (!t->no_history)
		begin_history(t);
	note.ns = call_begun(t, r);
	note.span = gpu_span_of(t);
	put_note(id, note);
}

/* For this live profile; false: there is none. */
static bool open_sums(void)
{
	gpu.arena = registry_await();
	if (!gpu.arena || !notes.at)
		return false;
	if (gpu.generation == registry_generation())
		return true;
	if (gpu.size)
		sys2(SYS_munmap, gpu.entries, gpu.size * sizeof(*gpu.entries));
	gpu.entries = NULL;
	gpu.size = gpu.count = 0;
	gpu.last = NULL;
	gpu.list = (struct chunk_list){ 0 };
	if (gpu.origins)
		sys2(SYS_munmap, gpu.origins, ORIGINS * sizeof(*gpu.origins));
	gpu.origins = NULL;
	gpu.generation = registry_generation();
	gpu_time_reset(gpu.arena);
	return true;
}

/* In a table of a fixed size: who comes later takes the place. */
static struct origin *origin_of(uint64_t id)
{
	return &gpu.origins[id * 0x9e3779b97f4a7c15u >> 48];
}

static live_ref find_origin(uint64_t id)
{
	const struct origin *o = id && gpu.origins ? origin_of(id) : NULL;

	return o && o->id == id ? o->node : 0;
}

static void put_origin(uint64_t id, live_ref node)
{
	if (!gpu.origins)
		gpu.origins = sys_memory(ORIGINS * sizeof(*gpu.origins));
	if (id && node && gpu.origins)
		*origin_of(id) = (struct origin){ id, node };
}

PUBLIC void copse_gpu_captured(const struct region *r)
{
	struct live_header *header = registry_header();

	if (header && (gpu_call_launches_kernel(r->name->text) ||
		       gpu_call_launches_graph(r->name->text)))
		__atomic_fetch_add(&header->gpu_times.captured, 1,
				   __ATOMIC_RELAXED);
}

PUBLIC void copse_gpu_origin(uint64_t id)
{
	struct thread *t = thread_self();
	struct note note = { 0 };

	if (!t || collect_paused())
		return;
	note_region(t, &note);
	lock_take(&gpu.lock);
	if (open_sums())
		put_origin(id, note.node);
	lock_give(&gpu.lock);
}

PUBLIC void copse_gpu_origin_copy(uint64_t id, uint64_t of)
{
	lock_take(&gpu.lock);
	if (open_sums())
		put_origin(id, find_origin(of));
	lock_give(&gpu.lock);
}

PUBLIC void copse_gpu_failed(struct region *r, struct region_name *error)
{
	struct thread *t = r->node ? thread_use() : NULL;
	live_ref node = 0;
	uint32_t name;

	if (!t)
		return;
	if (registry_name(error, &name))
		node = tree_child(&t->tree, r->node, LIVE_NODE_NAMED, name, 0);
	if (!node || !tree_add(&t->tree, node, METRIC_GPU_FAILED, 1))
		thread_lost(t, LOSS_DROPPED_FULL);
	thread_release(t);
}

struct gpu_noted gpu_noted(uint32_t id)
{
	struct note note = { .why = LOSS_GPU_UNSEEN };

	if (notes.at)
		note = find_note(id);
	return (struct gpu_noted){ note.node, note.thread, note.why,
				   note.why != NOT_WANTED };
}

/* Sums */

static uint32_t hash_gpu_sum(const struct live_gpu *e)
{
	uint64_t x = ((uint64_t)e->node << 32 | e->name << 4 | e->kind) *
		     0x9e3779b97f4a7c15u;

	x = (x ^ e->from) * 0x9e3779b97f4a7c15u;

	x = (x ^ (uint64_t)e->device << 48) * 0x9e3779b97f4a7c15u;
	return (uint32_t)(x >> 32);
}

static struct live_gpu *gpu_sum_at(live_ref ref)
{
	return arena_at(gpu.arena, ref);
}

static bool grow_gpu_sums(void)
{
	uint32_t size = gpu.size ? 2 * gpu.size : FIRST_ENTRIES;
	live_ref *bigger = sys_memory((uint64_t)size * sizeof(*bigger));

	if (!bigger)
		return false;
	for (uint32_t i = 0; i < gpu.size; i++) {
		const struct live_gpu *e;
		uint32_t at;

		if (!gpu.entries[i])
			continue;
		e = gpu_sum_at(gpu.entries[i]);
		at = hash_gpu_sum(e);
		while (bigger[at & (size - 1)])
			at++;
		bigger[at & (size - 1)] = gpu.entries[i];
	}
	if (gpu.size)
		sys2(SYS_munmap, gpu.entries, gpu.size * sizeof(*gpu.entries));
	gpu.entries = bigger;
	gpu.size = size;
	return true;
}

static live_ref new_gpu_sum(const struct live_gpu *like)
{
	struct live_header *header = registry_header();
	live_ref ref =
		chunk_take(gpu.arena, &gpu.list, &header->gpu, sizeof(*like));

	if (!ref)
		return 0;
	*gpu_sum_at(ref) = *like;
	chunk_commit(gpu.arena, &gpu.list);
	gpu.count++;
	return ref;
}

static bool same_gpu_sum(const struct live_gpu *a, const struct live_gpu *b)
{
	return a->node == b->node && a->name == b->name && a->kind == b->kind &&
	       a->why == b->why && a->device == b->device && a->from == b->from;
}

/* The sum that is like this one, made when it is new; NULL: no memory. */
static struct live_gpu *find_gpu_sum(const struct live_gpu *like)
{
	uint32_t at;

	if (gpu.last && same_gpu_sum(gpu.last, like))
		return gpu.last;
	if (gpu.count >= gpu.size / 2 && !grow_gpu_sums())
		return NULL;
	at = hash_gpu_sum(like);
	for (; gpu.entries[at & (gpu.size - 1)]; at++) {
		struct live_gpu *e =
			gpu_sum_at(gpu.entries[at & (gpu.size - 1)]);

		if (same_gpu_sum(e, like))
			return gpu.last = e;
	}
	gpu.entries[at & (gpu.size - 1)] = new_gpu_sum(like);
	if (!gpu.entries[at & (gpu.size - 1)])
		return NULL;
	return gpu_sum_at(gpu.entries[at & (gpu.size - 1)]);
}

static void sum_work(struct live_gpu *to, const struct gpu_work *w,
		     const struct note *note)
{
	uint64_t ns = w->end - w->start;

	to->count++;
	to->ns += ns;
	if (ns < to->min_ns)
		to->min_ns = ns;
	if (ns > to->max_ns)
		to->max_ns = ns;
	to->bytes += w->bytes;
	if (!note->ns || w->start < note->ns)
		return;
	to->queued++;
	to->queued_ns += w->start - note->ns;
}

/* NCCL's kernels are called ncclDevKernel_… and ncclKernel_…, or mangled so. */
static enum live_piece_kind piece_kind(const struct gpu_work *w)
{
	const char *name = w->name->text;

	if (w->kind == LIVE_GPU_GRAPH)
		return LIVE_PIECE_KERNEL;
	if (w->kind != LIVE_GPU_KERNEL)
		return LIVE_PIECE_COPY;
	if (!strncmp(name, "_Z", 2))
		name += 2 + strspn(name + 2, "0123456789");
	return strncmp(name, "ncclDevKernel", 13) &&
			       strncmp(name, "ncclKernel", 10)
		       ? LIVE_PIECE_KERNEL
		       : LIVE_PIECE_MESSAGE;
}

static void add_piece(const struct gpu_work *w, const struct note *note,
		      uint32_t name, const struct live_gpu *sum)
{
	const struct live_piece piece = {
		.start = w->start,
		.end = w->end,
		.begun = note->ns,
		.node = note->node,
		.thread = note->thread,
		.span = note->span,
		.device = w->device,
		.context = w->context,
		.stream = w->stream,
		.why = (uint16_t)note->why,
		.kernel = (uint16_t)piece_kind(w),
		.name = name,
		.sum = sum ? arena_ref(gpu.arena, sum) : 0,
	};

	gpu_time_add(&piece);
}

/* What is kept of each piece, beside sums. */
static void keep_work(const struct gpu_work *w, const struct note *note,
		      const struct live_gpu *sum)
{
	const struct gpu_launch launch = { note->node, note->thread, sum->name,
					   note->ns };
	struct gpu_collective call = { .bytes = w->bytes };
	struct live_slice slice = { .kind = (uint8_t)w->kind,
				    .device = (uint8_t)w->device,
				    .why = (uint8_t)sum->why,
				    .start = w->start,
				    .end = w->end,
				    .thread = note->thread,
				    .id = w->id,
				    .launched = note->ns,
				    .node = note->node,
				    .from = sum->from,
				    .name = sum->name,
				    .context = w->context,
				    .stream = w->stream };

	if (w->kind == LIVE_GPU_KERNEL &&
	    gpu_collectives_work(gpu.arena, w, &launch, &call))
		slice.function = (uint8_t)call.function;
	slice.bytes = call.bytes;
	gpu_slices_work(&slice, sum->below);
}

static void add_work(const struct gpu_work *w)
{
	struct note note = find_note(w->id);
	struct live_gpu like = { .node = note.node,
				 .thread = note.thread,
				 .kind = (uint16_t)w->kind,
				 .device = w->device,
				 .from = find_origin(w->origin),
				 .min_ns = UINT64_MAX };
	struct live_gpu *to;

	if (note.why == NOT_WANTED)
		return;
	if (w->kind == LIVE_GPU_GRAPH ||
	    (w->kind == LIVE_GPU_KERNEL && !w->origin))
		registry_header()->gpu_times.told++;
	if (!w->start || w->end < w->start) {
		registry_lost(LOSS_GPU_TIMES, 1);
		return;
	}
	if (!note.node) {
		registry_lost((enum loss)note.why, 1);
		like.why = (uint16_t)note.why;
	}
	if (!registry_name(w->name, &like.name) ||
	    (like.from && !registry_name(&captured, &like.below))) {
		registry_lost(LOSS_GPU_FULL, 1);
		return;
	}
	to = find_gpu_sum(&like);
	if (to)
		sum_work(to, w, &note);
	else
		registry_lost(LOSS_GPU_FULL, 1);
	add_piece(w, &note, like.name, to);
	keep_work(w, &note, &like);
}

static void sum_idle(const struct live_gpu *like, uint64_t ns, uint64_t count)
{
	struct live_gpu *to = find_gpu_sum(like);

	if (!to)
		return;
	to->count += count;
	to->ns += ns;
}

void gpu_sums_idle(live_ref node, uint32_t thread, struct region_name *name,
		   uint64_t ns, uint64_t count)
{
	struct live_gpu like = { .node = node,
				 .thread = thread,
				 .name = LIVE_NO_NAME,
				 .kind = LIVE_GPU_IDLE,
				 .min_ns = UINT64_MAX };

	if (!name || registry_name(name, &like.name))
		sum_idle(&like, ns, count);
}

void gpu_sums_idle_lost(uint32_t why, uint64_t ns)
{
	const struct live_gpu like = { .name = LIVE_NO_NAME,
				       .kind = LIVE_GPU_IDLE,
				       .why = (uint16_t)why,
				       .min_ns = UINT64_MAX };

	sum_idle(&like, ns, 1);
}

void gpu_sums_awaited(live_ref node, uint32_t thread, uint32_t name,
		      uint64_t ns)
{
	const struct live_gpu like = { .node = node,
				       .thread = thread,
				       .name = name,
				       .kind = LIVE_GPU_AWAITED,
				       .min_ns = UINT64_MAX };

	sum_idle(&like, ns, 1);
}

PUBLIC void copse_gpu_awaited(const struct region *r, enum gpu_waits for_what)
{
	struct thread *t = thread_self();

	if (r->node && t && !collect_paused())
		gpu_awaited_call(
			&(struct gpu_wait){ .from = r->start_ns,
					    .to = r->end_ns,
					    .inside = r->end_ns - r->start_ns,
					    .node = r->node,
					    .thread = t->index,
					    .for_what = for_what });
}

PUBLIC void copse_gpu_add(const struct gpu_work *work, size_t count)
{
	lock_take(&gpu.lock);
	if (open_sums())
		for (size_t i = 0; i < count; i++)
			add_work(&work[i]);
	gpu_time_settle(false);
	lock_give(&gpu.lock);
	gpu_slices_prepare();
}

PUBLIC void copse_gpu_device(const struct gpu_device *device)
{
	lock_take(&gpu.lock);
	if (open_sums())
		gpu_time_device(device);
	lock_give(&gpu.lock);
}

PUBLIC void copse_gpu_counted(uint32_t device,
			      const struct gpu_interval *intervals,
			      size_t count)
{
	lock_take(&gpu.lock);
	if (open_sums())
		gpu_counters_add(device, intervals, count);
	lock_give(&gpu.lock);
}

PUBLIC void copse_gpu_end(void)
{
	lock_take(&gpu.lock);
	if (open_sums())
		gpu_time_settle(true);
	lock_give(&gpu.lock);
}

void gpu_prepare(void)
{
	if (!notes.at)
		__atomic_store_n(&notes.at,
				 sys_memory(NOTES * sizeof(*notes.at)),
				 __ATOMIC_RELEASE);
}

PUBLIC enum gpu_wish copse_gpu_init(const void *adapter)
{
	struct thread *t;

	if (!collect_active() || !collect_settings()->gpu)
		return GPU_WISH_NOTHING;
	unwind_hide(adapter);
	ticks_init();
	gpu_prepare();
	gpu_spans_wanted();
	t = thread_use();
	if (t)
		thread_release(t);
	gpu_slices_begin();
	if (!collect_settings()->gpu_api)
		return GPU_WISH_WORK;
	return collect_settings()->gpu_getters ? GPU_WISH_ALL : GPU_WISH_CALLS;
}

PUBLIC bool copse_gpu_asked(void)
{
	static uint32_t last;
	struct live_header *header = registry_header();
	uint32_t asked = header ? __atomic_load_n(&header->gpu_lists.asked,
						  __ATOMIC_RELAXED)
				: last;
	bool anew = asked != last;

	last = asked;
	return anew;
}

/* Mutable: set before the first graph is there. */
static bool _Atomic takes_nodes;

PUBLIC bool copse_gpu_nodes(void)
{
	return takes_nodes || collect_settings()->gpu_nodes;
}

PUBLIC void copse_gpu_take_nodes(void)
{
	struct live_header *header = registry_header();

	takes_nodes = true;
	if (header)
		header->gpu_times.nodes = true;
}

PUBLIC uint64_t copse_gpu_now(void)
{
	return time_now(CLOCK_MONOTONIC);
}

PUBLIC void copse_gpu_lost(enum loss why, uint64_t count)
{
	registry_lost(why, count);
}

PUBLIC void copse_gpu_pass(const void *code)
{
	unwind_pass(code);
}

PUBLIC void copse_gpu_profiler(bool on)
{
	control_profiler(on);
}

AT_FORK static void gpu_forked(void)
{
	struct thread *t = thread_self();

	lock_open(&gpu.lock);
	gpu.used = 0;
	if (t)
		t->history = NULL;
}

const struct source source_gpu = {
	.fork = gpu_forked,
};
