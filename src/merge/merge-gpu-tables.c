/* SPDX-License-Identifier: BSD-3-Clause */
/* merge-gpu-tables.c - gather what processes have of GPUs, and put it in order.
 */
#include "merge/merge-gpu-tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/combine.h"
#include "base/err.h"
#include "base/comparison.h"
#include "symbol/symbol.h"
#include "merge/unify-tree.h"

static void fini_gpu_facts(void *state)
{
	struct gpu_facts *t = state;

	run_facts_fini(&t->sum);
	strings_fini(&t->names);
	map_fini(&t->shapes);
	*t = (struct gpu_facts){ 0 };
}

#define APPEND(t, rows, number, place, row)                                    \
	array_append(&(t)->sum.rows, &(t)->sum.number, &(t)->place,            \
		     sizeof(*(t)->sum.rows), row)

static uint64_t time_since_start(const struct profile *p, uint64_t ns)
{
	return ns > p->id.start_mono_ns ? ns - p->id.start_mono_ns : 0;
}

/* Timelines of so many bins, of the first processes: 16 MiB. */
#define BINS_MOST ((size_t)1 << 20)

static bool add_bins(struct gpu_facts *t, const struct profile *p,
		     uint32_t first)
{
	bool good = true;

	if (t->sum.bin_count + p->memory_bin_count > BINS_MOST)
		return true;
	for (size_t i = 0; i < p->memory_bin_count && good; i++) {
		const struct profile_memory_bin *b = &p->memory_bins[i];
		struct run_memory_bin row = { first + b->holder, b->bin,
					      b->bytes };

		good = APPEND(t, bins, bin_count, bin_room, &row);
	}
	return good;
}

static bool add_memory(struct gpu_facts *t, const struct profile *p,
		       uint32_t process)
{
	uint32_t first = (uint32_t)t->sum.holder_count;
	bool good = true;

	for (size_t i = 0; i < p->holder_count && good; i++) {
		const struct profile_holder *h = &p->holders[i];
		struct run_holder row = { process,
					  h->device,
					  h->live,
					  h->peak,
					  time_since_start(p, h->peak_ns),
					  time_since_start(p, h->first_ns),
					  h->width_ns };

		good = APPEND(t, holders, holder_count, holder_room, &row);
	}
	good = good && add_bins(t, p, first);
	for (size_t i = 0; i < p->held_count && good; i++) {
		const struct profile_held *h = &p->held[i];
		struct run_held row = { first + h->holder, h->kind, h->live,
					h->peak };

		good = APPEND(t, held, held_count, held_room, &row);
	}
	for (size_t i = 0; i < p->unified_count && good; i++) {
		const struct profile_unified *u = &p->unified[i];
		struct run_unified row = {
			.rank = process,
			.kind = u->kind,
			.device = u->device,
#define COLUMN(type, name, ...) .name = u->name,
#include "live/unified.def"
#undef COLUMN
		};

		good = APPEND(t, unified, unified_count, unified_room, &row);
	}
	return good;
}

/* Devices of one kind are one model. */
static bool model_of(struct gpu_facts *t, const struct profile *p,
		     uint32_t device, uint32_t *model)
{
	const struct profile_limits *l = p->limits;
	struct run_model row;
	size_t i = 0;

	*model = RUN_NO_MODEL;
	while (i < p->limit_count && l[i].device != device)
		i++;
	if (i == p->limit_count)
		return true;
	row = (struct run_model){
#define COLUMN(type, name, ...) .name = l[i].name,
#include "live/limits.def"
#undef COLUMN
	};
	for (i = 0; i < t->sum.model_count; i++)
		if (!memcmp(&t->sum.models[i], &row, sizeof(row)))
			break;
	*model = (uint32_t)i;
	return i < t->sum.model_count ||
	       APPEND(t, models, model_count, model_room, &row);
}

/* The same launch, but for the grid. */
static bool is_same_shape(const struct run_shape *a, const struct run_shape *b)
{
	return !memcmp(a, b, offsetof(struct run_shape, launches));
}

static uint64_t shape_key(const struct run_shape *s)
{
	return ((uint64_t)s->function << 32) + ((uint64_t)s->model << 12) +
	       s->registers;
}

#define STEP ((uint64_t)0x9e3779b97f4a7c15) /* odd: steps never lead back */

/* Of several with one key the first that is the same: `at` counts them. */
static bool put_shape(struct gpu_facts *t, const struct run_shape *row)
{
	uint64_t second = (uint64_t)row->block_x << 42 ^
			  (uint64_t)row->block_y << 32 ^ row->block_z << 26 ^
			  row->dynamic_shared;

	for (uint64_t at = 0;; at++) {
		uint32_t fresh = (uint32_t)t->sum.shape_count;
		uint32_t i = map_put(&t->shapes, shape_key(row),
				     second + at * STEP, fresh);
		struct run_shape *to;

		if (i == MAP_NONE)
			return false;
		if (i == fresh)
			return APPEND(t, shapes, shape_count, shape_room, row);
		to = &t->sum.shapes[i];
		if (!is_same_shape(to, row))
			continue;
#define COLUMN(type, name, help, how) COMBINE_##how(to->name, row->name);
#include "live/shape.def"
#undef COLUMN
		return true;
	}
}

static bool add_launch_shape(struct gpu_facts *t, const struct profile *p,
			     const struct profile_shape *s)
{
	struct run_shape row = {
#define COLUMN(type, name, ...) .name = s->name,
#include "live/shape.def"
#undef COLUMN
	};

	row.function = str_add(&t->names, p->names[s->name].text);
	return row.function != STR_NONE &&
	       model_of(t, p, s->device, &row.model) && put_shape(t, &row);
}

static bool add_sampling(struct gpu_facts *t, const struct profile *p)
{
	const struct run_sampling none = { 0 };
	bool good = true;

	for (size_t i = 0; i < p->sampling_count && good; i++) {
		if (!t->sum.sampling_count)
			good = APPEND(t, sampling, sampling_count,
				      sampling_room, &none);
		if (!good)
			break;
		t->sum.sampling->calls += p->sampling[i].calls;
		t->sum.sampling->ns += p->sampling[i].ns;
	}
	return good;
}

/* One that differs from no other is no group, if it was not cut. */
static const char *name_of_range(const struct profile *p,
				 const struct profile_range *r)
{
	return r->several || strlen(r->longest) + 1 >= LIVE_RANGE_TEXT
		       ? p->names[r->name].text
		       : r->longest;
}

static bool add_process_ranges(struct gpu_facts *t, const struct profile *p,
			       uint32_t process)
{
	bool good = true;

	for (size_t i = 0; i < p->range_count && good; i++) {
		const struct profile_range *r = &p->ranges[i];
		struct run_range row = {
			.rank = process,
			.name = str_add(&t->names, name_of_range(p, r)),
			.longest = str_add(&t->names, r->longest),
#define COLUMN(type, name, ...) .name = r->name,
#include "live/range.def"
#undef COLUMN
		};

		row.longest_at_ns = time_since_start(p, r->longest_at_ns);
		good = row.name != STR_NONE && row.longest != STR_NONE &&
		       APPEND(t, ranges, range_count, range_room, &row);
	}
	return good;
}

static int gather_gpu_facts(void *state, const struct gathered *one)
{
	struct gpu_facts *t = state;
	const struct profile *p = one->profile;
	bool good = add_memory(t, p, one->process);

	for (size_t i = 0; i < p->shape_count && good; i++)
		good = add_launch_shape(t, p, &p->shapes[i]);
	good = good && add_sampling(t, p) &&
	       add_process_ranges(t, p, one->process);
	return good ? 0 : no_memory();
}

/*
 * The run.
 */

ORDER_ROWS_BY(by_holder_device, struct run_holder, of, ASC(rank) ?: ASC(device))

ORDER_BY(by_bin, struct run_memory_bin, ASC(holder) ?: ASC(bin))

ORDER_BY(by_kind, struct run_held, ASC(holder) ?: ASC(kind))

ORDER_BY(by_unified_rank, struct run_unified,
	 ASC(rank) ?: ASC(device) ?: ASC(kind))

static void sort_gpu_table(void *rows, size_t count, size_t size,
			   int (*by)(const void *, const void *))
{
	if (count)
		qsort(rows, count, size, by);
}

static int sort_memory(struct run_facts *gpu, const uint32_t *order)
{
	size_t n = gpu->holder_count;
	uint32_t *sorted = calloc(n + 1, sizeof(*sorted));
	uint32_t *place = calloc(n + 1, sizeof(*place));
	struct run_holder *holders = calloc(n + 1, sizeof(*holders));
	bool good = sorted && place && holders;

	for (size_t i = 0; i < n && good; i++) {
		gpu->holders[i].rank = order[gpu->holders[i].rank];
		sorted[i] = (uint32_t)i;
	}
	if (good)
		qsort_r(sorted, n, sizeof(*sorted), by_holder_device,
			gpu->holders);
	for (size_t i = 0; i < n && good; i++) {
		holders[i] = gpu->holders[sorted[i]];
		place[sorted[i]] = (uint32_t)i;
	}
	for (size_t i = 0; i < gpu->bin_count && good; i++)
		gpu->bins[i].holder = place[gpu->bins[i].holder];
	for (size_t i = 0; i < gpu->held_count && good; i++)
		gpu->held[i].holder = place[gpu->held[i].holder];
	free(sorted);
	free(place);
	if (!good) {
		free(holders);
		return -ENOMEM;
	}
	free(gpu->holders);
	gpu->holders = holders;
	sort_gpu_table(gpu->bins, gpu->bin_count, sizeof(*gpu->bins), by_bin);
	sort_gpu_table(gpu->held, gpu->held_count, sizeof(*gpu->held), by_kind);
	return 0;
}

static int by_shape_time(const void *x, const void *y, void *strings)
{
	const struct run_shape *a = x, *b = y;
	int order = ORDER(b->ns, a->ns);

	if (!order)
		order = strcmp(str_at(strings, a->function),
			       str_at(strings, b->function));
	return order ? order
		     : memcmp(&a->block_x, &b->block_x,
			      sizeof(*a) - offsetof(struct run_shape, block_x));
}

static int by_range(const void *x, const void *y, void *strings)
{
	const struct run_range *a = x, *b = y;

	return ORDER(a->rank, b->rank)
		       ?: strcmp(str_at(strings, a->name),
				 str_at(strings, b->name));
}

/* A kernel as the compiler calls it. */
static bool name_kernel(const struct gpu_facts *t, struct run *run,
			uint32_t *function)
{
	char *name = symbol_readable(str_at(&t->names, *function));

	*function = name ? str_add(&run->strings, name) : STR_NONE;
	free(name);
	return *function != STR_NONE;
}

static int name_kernels(struct gpu_facts *t, struct run *run)
{
	bool good = true;

	for (size_t i = 0; i < t->sum.shape_count && good; i++)
		good = name_kernel(t, run, &t->sum.shapes[i].function);
	return good ? 0 : -ENOMEM;
}

static int name_ranges(struct gpu_facts *t, struct run *run,
		       const uint32_t *order)
{
	for (size_t i = 0; i < t->sum.range_count; i++) {
		struct run_range *r = &t->sum.ranges[i];

		r->rank = order[r->rank];
		r->name = str_add(&run->strings, str_at(&t->names, r->name));
		r->longest =
			str_add(&run->strings, str_at(&t->names, r->longest));
		if (r->name == STR_NONE || r->longest == STR_NONE)
			return -ENOMEM;
	}
	return 0;
}

static int finish_gpu_facts(void *state, struct run *run, const uint32_t *order,
			    const uint32_t *became)
{
	struct gpu_facts *t = state;
	struct run_facts *gpu = &t->sum;
	int err = sort_memory(gpu, order);

	(void)became;
	for (size_t i = 0; i < gpu->unified_count && !err; i++)
		gpu->unified[i].rank = order[gpu->unified[i].rank];
	if (!err)
		err = name_kernels(t, run);
	if (!err)
		err = name_ranges(t, run, order);
	if (err)
		return no_memory();
	sort_gpu_table(gpu->unified, gpu->unified_count, sizeof(*gpu->unified),
		       by_unified_rank);
	if (gpu->shape_count)
		qsort_r(gpu->shapes, gpu->shape_count, sizeof(*gpu->shapes),
			by_shape_time, &run->strings);
	if (gpu->range_count)
		qsort_r(gpu->ranges, gpu->range_count, sizeof(*gpu->ranges),
			by_range, &run->strings);
	run->facts = *gpu;
	*gpu = (struct run_facts){ 0 };
	fini_gpu_facts(t);
	return 0;
}

const struct gatherer gatherer_merge_gpu_tables = {
	.size = sizeof(struct gpu_facts),
	.fini = fini_gpu_facts,
	.add = gather_gpu_facts,
	.finish = finish_gpu_facts,
};
