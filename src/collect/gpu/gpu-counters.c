/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-counters.c - a sweep over intervals and work, both in their order. */
#include "collect/gpu/gpu-counters.h"

#include "base/hidden.h"
#include "base/sys.h"
#include "collect/collect.h"
#include "collect/registry.h"

enum {
	DEVICES = 16,
	INTERVALS = 32768,
	PIECES = 65536,
	OPEN = 128, /* pieces that run at a time */
	WHOLE = 3,  /* intervals: so long is work that has whole ones */
};

struct counted_piece {
	uint64_t start, end;
	live_ref sum; /* struct live_gpu */
	bool kernel;
};

/* Rings, from `first` to `last`, whose numbers only grow. */
struct counted_device {
	uint32_t id;
	struct gpu_interval *intervals;
	struct counted_piece *pieces;
	uint64_t first, last, first_piece, last_piece;
	struct counted_piece open[OPEN];
	uint32_t open_count;
};

/* Mutable, with the lock of gpu.c: of the live profile in `arena`. */
static struct {
	struct arena *arena;
	struct arena_small small;
	struct counted_device devices[DEVICES];
	uint32_t device_count;
} counted;

PUBLIC bool copse_gpu_counters(uint64_t *period_ns)
{
	const struct settings *s = collect_settings();

	*period_ns = s->gpu_counters_period * 1000u;
	if (s->gpu_counters && s->gpu_sampling)
		registry_lost(LOSS_GPU_COUNTERS_TAKEN, 1);
	return s->gpu_counters && !s->gpu_sampling;
}

static struct counted_device *find_counted(uint32_t id)
{
	for (uint32_t i = 0; i < counted.device_count; i++)
		if (counted.devices[i].id == id)
			return &counted.devices[i];
	return NULL;
}

static struct counted_device *open_counted(uint32_t id)
{
	struct counted_device *d = find_counted(id);

	if (d || counted.device_count == DEVICES)
		return d;
	d = &counted.devices[counted.device_count];
	d->id = id;
	if (!d->intervals)
		d->intervals = sys_memory(INTERVALS * sizeof(*d->intervals));
	if (!d->pieces)
		d->pieces = sys_memory(PIECES * sizeof(*d->pieces));
	if (!d->intervals || !d->pieces)
		return NULL;
	counted.device_count++;
	return d;
}

static struct live_counted *counted_of(live_ref sum)
{
	struct live_gpu *g = arena_at(counted.arena, sum);

	if (!g->counted)
		__atomic_store_n(&g->counted,
				 arena_small(counted.arena, &counted.small,
					     sizeof(struct live_counted)),
				 __ATOMIC_RELEASE);
	return g->counted ? arena_at(counted.arena, g->counted) : NULL;
}

static uint64_t piece_time_within(const struct counted_piece *p,
				  const struct gpu_interval *i)
{
	uint64_t from = p->start > i->start ? p->start : i->start;
	uint64_t to = p->end < i->end ? p->end : i->end;

	return to > from ? to - from : 0;
}

/* What ran in an interval: the sum of its times, and whether it was one. */
struct ran {
	uint64_t all, kernels;
	bool alone;
};

static struct ran ran_within(const struct counted_device *d,
			     const struct gpu_interval *in)
{
	struct ran r = { .alone = true };
	live_ref first = 0;

	for (uint32_t i = 0; i < d->open_count; i++) {
		const struct counted_piece *p = &d->open[i];
		uint64_t ns = piece_time_within(p, in);

		if (!ns)
			continue;
		r.all += ns;
		if (p->kernel)
			r.kernels += ns;
		r.alone = r.alone && (!first || first == p->sum);
		first = p->sum;
	}
	return r;
}

/* Multiprocessors work for kernels alone, memory and links for all work. */
static bool is_of_all_work(enum gpu_counter c)
{
	switch (c) {
	case GPU_COUNTER_DRAM:
	case GPU_COUNTER_DRAM_READ:
	case GPU_COUNTER_DRAM_WRITTEN:
	case GPU_COUNTER_PCIE_RECEIVED:
	case GPU_COUNTER_PCIE_SENT:
	case GPU_COUNTER_NVLINK_RECEIVED:
	case GPU_COUNTER_NVLINK_SENT:
		return true;
	default:
		return false;
	}
}

/*
 * Work that has whole intervals of its own has no need of its first and last
 * one, of which a part is what ran before or after it.
 */
static bool is_edge(const struct counted_piece *p,
		    const struct gpu_interval *in)
{
	uint64_t length = in->end - in->start;

	return p->end - p->start >= WHOLE * length &&
	       piece_time_within(p, in) < length;
}

static void add_interval(const struct counted_piece *p,
			 const struct gpu_interval *in, const struct ran *ran)
{
	double ns = is_edge(p, in) ? 0 : (double)piece_time_within(p, in), part;
	struct live_counted *to = ns > 0 ? counted_of(p->sum) : NULL;

	if (!to)
		return;
	to->time += ns;
	to->intervals++;
	if (ran->alone)
		to->alone += ns;
	part = p->kernel ? ns / (double)ran->kernels : 0;
#define COUNTER(id, name)                                                      \
	to->name += in->value[GPU_COUNTER_##id] *                              \
		    (is_of_all_work(GPU_COUNTER_##id) ? ns / (double)ran->all  \
						      : part);
#include "live/gpu-counters.def"
#undef COUNTER
}

/* Work that has begun before `until`; what ended before `from` is left. */
static void open_pieces(struct counted_device *d, uint64_t from, uint64_t until)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < d->open_count; i++)
		if (d->open[i].end > from)
			d->open[kept++] = d->open[i];
	d->open_count = kept;
	for (; d->first_piece < d->last_piece; d->first_piece++) {
		const struct counted_piece *p =
			&d->pieces[d->first_piece % PIECES];

		if (p->start >= until)
			return;
		if (p->end <= from)
			continue;
		if (d->open_count < OPEN)
			d->open[d->open_count++] = *p;
		else
			registry_lost(LOSS_GPU_COUNTERS_DROPPED, 1);
	}
}

static void settle_device(struct counted_device *d, uint64_t until)
{
	for (; d->first < d->last; d->first++) {
		const struct gpu_interval *in =
			&d->intervals[d->first % INTERVALS];
		struct ran ran;

		if (in->end > until)
			return;
		open_pieces(d, in->start, in->end);
		ran = ran_within(d, in);
		for (uint32_t i = 0; i < d->open_count; i++)
			add_interval(&d->open[i], in, &ran);
	}
}

void gpu_counters_settle(uint64_t until)
{
	for (uint32_t i = 0; i < counted.device_count; i++)
		settle_device(&counted.devices[i], until);
}

void gpu_counters_work(const struct live_piece *piece)
{
	struct counted_device *d = find_counted(piece->device);

	if (!d || !piece->sum)
		return;
	if (d->last_piece - d->first_piece == PIECES)
		d->first_piece++;
	d->pieces[d->last_piece++ % PIECES] =
		(struct counted_piece){ piece->start, piece->end, piece->sum,
					piece->kernel != 0 };
}

static void add_intervals(struct counted_device *d,
			  const struct gpu_interval *intervals, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (d->last - d->first == INTERVALS) {
			d->first++;
			registry_lost(LOSS_GPU_COUNTERS_DROPPED, 1);
		}
		d->intervals[d->last++ % INTERVALS] = intervals[i];
	}
}

void gpu_counters_add(uint32_t device, const struct gpu_interval *intervals,
		      size_t count)
{
	struct counted_device *d = counted.arena ? open_counted(device) : NULL;

	if (d)
		add_intervals(d, intervals, count);
	else
		registry_lost(LOSS_GPU_COUNTERS_DROPPED, count);
}

/* Rings are kept; what is in them was of another profile. */
void gpu_counters_reset(struct arena *arena)
{
	for (uint32_t i = 0; i < DEVICES; i++) {
		struct counted_device *d = &counted.devices[i];

		d->first = d->last = d->first_piece = d->last_piece = 0;
		d->open_count = 0;
	}
	counted.device_count = 0;
	counted.small = (struct arena_small){ 0 };
	counted.arena = arena;
}
