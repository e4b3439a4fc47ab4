/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * devices.c - GPUs, their streams and their times, of all ranks.
 *
 * Memory   follows devices, streams and nodes: of each device one timeline is
 *          kept, 16 KiB, and three when several processes share it.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/comparison.h"
#include "live/layout.h"
#include "merge/timeline.h"
#include "base/map.h"
#include "run/gatherer.h"

struct devices {
	struct run_gpu sum; /* nodes: of the unified tree; ranks: as read */
	struct strings names;
	struct timeline *lines; /* one for each device */
	struct map found, works;
	size_t device_room, line_room, share_room, stream_room, work_room,
		rank_room, known_room;
	uint32_t unnamed; /* devices without a UUID: one for each process */
};

static int init_devices(void *state)
{
	struct devices *d = state;

	return str_add(&d->names, "") == STR_NONE ? no_memory() : 0;
}

static void fini_devices(void *state)
{
	struct devices *d = state;

	for (size_t i = 0; d->lines && i < d->sum.device_count; i++)
		timeline_fini(&d->lines[i]);
	free(d->lines);
	run_gpu_fini(&d->sum);
	strings_fini(&d->names);
	map_fini(&d->found);
	map_fini(&d->works);
	*d = (struct devices){ 0 };
}

/* Room for one more; `array` is the address of a T *. */
static int device_room(void *array, size_t count, size_t *room, size_t size)
{
	void *at;

	memcpy(&at, array, sizeof(at));
	at = array_grow(at, count, room, size);
	if (!at)
		return -ENOMEM;
	memcpy(array, &at, sizeof(at));
	return 0;
}

/*
 * One process.
 */

/* What tells a device from others: its UUID on that host, with that clock. */
static int device_key(struct devices *d, const struct profile *p,
		      const struct profile_device *from, uint32_t process,
		      uint64_t key[2])
{
	uint32_t host = str_add(&d->names, p->id.host);
	uint32_t clock = str_add(&d->names, p->id.clock_id);
	uint32_t uuid = str_add(&d->names, from->uuid);

	if (host == STR_NONE || clock == STR_NONE || uuid == STR_NONE)
		return -ENOMEM;
	key[0] = (uint64_t)host << 32 | clock;
	key[1] = *from->uuid ? uuid : ((uint64_t)process + 1) << 32 | from->id;
	return 0;
}

static int new_device(struct devices *d, const struct profile *p,
		      const struct profile_device *from)
{
	struct run_gpu *sum = &d->sum;
	int err = device_room(&sum->devices, sum->device_count, &d->device_room,
			      sizeof(*sum->devices));

	if (!err)
		err = device_room(&d->lines, sum->device_count, &d->line_room,
				  sizeof(*d->lines));
	if (err)
		return err;
	d->lines[sum->device_count] = (struct timeline){ 0 };
	sum->devices[sum->device_count++] = (struct run_device){
		.host = str_add(&d->names, p->id.host),
		.uuid = str_add(&d->names, from->uuid),
		.name = str_add(&d->names, from->name),
		.id = from->id,
		.instance = from->instance,
	};
	return 0;
}

static int find_run_device(struct devices *d, const struct profile *p,
			   const struct profile_device *from, uint32_t process,
			   uint32_t *index)
{
	uint64_t key[2];
	int err = device_key(d, p, from, process, key);

	if (err || str_add(&d->names, from->name) == STR_NONE)
		return -ENOMEM;
	*index = map_put(&d->found, key[0], key[1],
			 (uint32_t)d->sum.device_count);
	if (*index == MAP_NONE)
		return -ENOMEM;
	return *index == d->sum.device_count ? new_device(d, p, from) : 0;
}

static int add_share(struct devices *d, const struct profile_device *from,
		     uint32_t device, uint32_t process)
{
	struct run_gpu *sum = &d->sum;

	if (device_room(&sum->shares, sum->share_count, &d->share_room,
			sizeof(*sum->shares)))
		return -ENOMEM;
	sum->shares[sum->share_count++] = (struct run_share){
		.device = device,
		.rank = process,
		.id = from->id,
#define COLUMN(type, name, ...) .name = from->name,
#define ADDED                   COLUMN
#include "live/device.def"
#undef COLUMN
#undef ADDED
	};
	return 0;
}

static double device_overlap(const struct profile_device *d)
{
	return fmax((double)d->kernels_ns + (double)d->copies_ns -
			    (double)d->busy_ns,
		    0);
}

static void add_times(struct run_device *to, const struct profile_device *from)
{
	to->shares++;
	to->busy_ns += (double)from->busy_ns;
	to->busy_least_ns = fmax(to->busy_least_ns, (double)from->busy_ns);
	to->kernels_ns += (double)from->kernels_ns;
	to->copies_ns += (double)from->copies_ns;
	to->overlap_ns += device_overlap(from);
	to->kernels_sum_ns += (double)from->kernels_sum_ns;
	to->exposed_ns += (double)from->exposed_ns;
}

/* The rows behind *next that are of device i, which *next passes. */
static size_t bins_of_device(const struct profile *p, uint32_t i, size_t *next)
{
	size_t from = *next;

	while (*next < p->bin_count && p->bins[*next].device == i)
		++*next;
	return *next - from;
}

static int add_device(struct devices *d, const struct profile *p, uint32_t i,
		      uint32_t process, uint32_t *index, size_t *next)
{
	const struct profile_device *from = &p->devices[i];
	size_t first = *next, count = bins_of_device(p, i, next);
	const struct profile_bin *bins = count ? p->bins + first : NULL;
	int err = find_run_device(d, p, from, process, index);

	if (!err)
		err = add_share(d, from, *index, process);
	if (err)
		return err;
	add_times(&d->sum.devices[*index], from);
	return timeline_add(&d->lines[*index], from->first_bin, from->bin_shift,
			    bins, count);
}

static int add_stream(struct devices *d, const struct profile_stream *from,
		      uint32_t device, uint32_t process)
{
	struct run_gpu *sum = &d->sum;

	if (device_room(&sum->streams, sum->stream_count, &d->stream_room,
			sizeof(*sum->streams)))
		return -ENOMEM;
	sum->streams[sum->stream_count++] = (struct run_stream){
		.device = device,
		.rank = process,
		.context = from->context,
		.stream = from->stream,
		.kernels = from->kernels,
		.copies = from->copies,
		.busy_ns = from->busy_ns,
		.kernels_ns = from->kernels_ns,
		.span_ns = from->last_ns - from->first_ns,
	};
	return 0;
}

static int add_device_work(struct devices *d, const struct profile_work *from,
			   uint32_t node, uint32_t device)
{
	struct run_gpu *sum = &d->sum;
	uint32_t at;

	if (device == UINT32_MAX)
		return 0;
	if (device_room(&sum->works, sum->work_count, &d->work_room,
			sizeof(*sum->works)))
		return -ENOMEM;
	at = map_put(&d->works, node, device, (uint32_t)sum->work_count);
	if (at == MAP_NONE)
		return -ENOMEM;
	if (at == sum->work_count)
		sum->works[sum->work_count++] =
			(struct run_work){ node, device, 0, 0 };
	sum->works[at].count += from->count;
	sum->works[at].ns += from->ns;
	return 0;
}

/* Time inside calls of CUDA, on the thread of MPI_Init, else the first. */
static uint64_t ns_in_gpu_calls(const struct profile *p)
{
	const struct profile_column *c =
		profile_column(p, metric_infos[METRIC_GPU_CALL_TIME].name);
	uint64_t sum = 0;

	for (size_t i = 0; c && i < c->count; i++)
		if (c->values[i].thread == p->id.mpi_thread)
			sum += c->values[i].value;
	return sum;
}

static int add_devices_of_rank(struct devices *d, const struct profile *p,
			       uint32_t process)
{
	struct run_gpu *sum = &d->sum;
	uint64_t start = p->id.start_mono_ns + p->gpu.first_paused_ns;

	if (!p->device_count)
		return 0;
	if (device_room(&sum->ranks, sum->rank_count, &d->rank_room,
			sizeof(*sum->ranks)))
		return -ENOMEM;
	sum->ranks[sum->rank_count++] = (struct run_gpu_rank){
		.rank = process,
		.busy_ns = p->gpu.busy_ns,
		.before_ns =
			p->gpu.first_ns > start ? p->gpu.first_ns - start : 0,
		.span_ns = p->gpu.last_ns - p->gpu.first_ns,
		.offload_ns = ns_in_gpu_calls(p),
		.late = p->gpu.late,
		.late_ns = p->gpu.late_ns,
	};
	return 0;
}

static int add_known(struct devices *d, const struct profile *p,
		     uint32_t process)
{
	struct run_gpu *sum = &d->sum;

	if (!p->gpu_known.ns)
		return 0;
	if (device_room(&sum->known, sum->known_count, &d->known_room,
			sizeof(*sum->known)))
		return -ENOMEM;
	sum->known[sum->known_count++] =
		(struct run_gpu_known){ process, p->gpu_known.ns };
	return 0;
}

static int gather_devices(void *state, const struct gathered *one)
{
	struct devices *d = state;
	const struct profile *p = one->profile;
	uint32_t process = one->process;
	struct map devices = { 0 }; /* the process's number to the run's */
	size_t next = 0;
	int err = add_devices_of_rank(d, p, process);

	if (!err)
		err = add_known(d, p, process);

	for (uint32_t i = 0; i < p->device_count && !err; i++) {
		uint32_t index;

		err = add_device(d, p, i, process, &index, &next);
		if (!err &&
		    map_put(&devices, p->devices[i].id, 0, index) == MAP_NONE)
			err = -ENOMEM;
	}
	for (size_t i = 0; i < p->stream_count && !err; i++)
		err = add_stream(d, &p->streams[i],
				 map_get(&devices, p->streams[i].device, 0),
				 process);
	for (size_t i = 0; i < p->work_count && !err; i++)
		err = add_device_work(d, &p->works[i],
				      one->nodes[p->works[i].node],
				      map_get(&devices, p->works[i].device, 0));
	map_fini(&devices);
	return err ? no_memory() : 0;
}

/*
 * The run.
 */

ORDER_BY(by_known, struct run_gpu_known, ASC(rank))

static void want_devices(const void *state, bool *wanted)
{
	const struct devices *d = state;

	for (size_t i = 0; i < d->sum.work_count; i++)
		wanted[d->sum.works[i].node] = true;
}

ORDER_BY(by_share_device, struct run_share, ASC(device) ?: ASC(rank) ?: ASC(id))

ORDER_BY(by_stream, struct run_stream,
	 ASC(device) ?: ASC(rank) ?: ASC(context) ?: ASC(stream))

ORDER_BY(by_run_work, struct run_work, ASC(node) ?: ASC(device))

ORDER_BY(by_device_rank, struct run_gpu_rank, ASC(rank))

static void sort_gpu_rows(void *at, size_t count, size_t size,
			  int (*by)(const void *, const void *))
{
	if (count)
		qsort(at, count, size, by);
}

/* Contexts by address that have become one by name are one. */
static void put_works(struct run_gpu *gpu, const uint32_t *became)
{
	struct run_work *rows = gpu->works;
	size_t count = 0;

	for (size_t i = 0; i < gpu->work_count; i++)
		rows[i].node = became[rows[i].node];
	sort_gpu_rows(rows, gpu->work_count, sizeof(*rows), by_run_work);
	for (size_t i = 0; i < gpu->work_count; i++) {
		if (!count || by_run_work(&rows[count - 1], &rows[i])) {
			rows[count++] = rows[i];
			continue;
		}
		rows[count - 1].count += rows[i].count;
		rows[count - 1].ns += rows[i].ns;
	}
	gpu->work_count = count;
}

/* What timelines tell of processes that share a device. */
static void settle_busy(struct run_device *d, const struct timeline *line)
{
	struct timeline_sums sums = timeline_sums(line);

	if (d->shares == 1) {
		d->busy_most_ns = d->busy_least_ns = d->busy_ns;
		return;
	}
	d->busy_most_ns = d->busy_ns;
	if (sums.most > 0) {
		d->busy_least_ns = fmax(sums.least, d->busy_least_ns);
		d->busy_most_ns = fmin(sums.most, d->busy_most_ns);
	}
	d->busy_ns = fmin(fmax(sums.likely, d->busy_least_ns), d->busy_most_ns);
}

static int name_device(struct run_device *d, struct devices *from,
		       struct run *run)
{
	uint32_t *const words[] = { &d->host, &d->uuid, &d->name };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		*words[i] =
			str_add(&run->strings, str_at(&from->names, *words[i]));
		if (*words[i] == STR_NONE)
			return -ENOMEM;
	}
	return 0;
}

static void renumber_devices(struct run_gpu *gpu, const uint32_t *order)
{
	for (size_t i = 0; i < gpu->share_count; i++)
		gpu->shares[i].rank = order[gpu->shares[i].rank];
	for (size_t i = 0; i < gpu->stream_count; i++)
		gpu->streams[i].rank = order[gpu->streams[i].rank];
	for (size_t i = 0; i < gpu->rank_count; i++)
		gpu->ranks[i].rank = order[gpu->ranks[i].rank];
	for (size_t i = 0; i < gpu->known_count; i++)
		gpu->known[i].rank = order[gpu->known[i].rank];
}

/* Those of a device are adjacent: they share a host, and so its clock. */
static void settle_spans(struct run_gpu *gpu, const struct run *run)
{
	uint64_t first = 0, last = 0;

	for (size_t i = 0; i < gpu->share_count; i++) {
		const struct run_share *s = &gpu->shares[i];
		struct run_device *d = &gpu->devices[s->device];
		uint64_t known =
			run_gpu_known(gpu, s->rank, &run->ranks[s->rank]);
		bool fresh = !i || s[-1].device != s->device;

		first = fresh || s->first_ns < first ? s->first_ns : first;
		last = fresh || s->last_ns > last ? s->last_ns : last;
		d->span_ns = (double)(last - first);
		d->elapsed_ns = fmax(d->elapsed_ns, (double)known);
	}
}

static int finish_devices(void *state, struct run *run, const uint32_t *order,
			  const uint32_t *became)
{
	struct devices *d = state;
	struct run_gpu *gpu = &d->sum;
	int err = 0;

	for (size_t i = 0; i < gpu->device_count && !err; i++) {
		settle_busy(&gpu->devices[i], &d->lines[i]);
		timeline_fini(&d->lines[i]);
		err = name_device(&gpu->devices[i], d, run);
	}
	if (err)
		return no_memory();
	renumber_devices(gpu, order);
	put_works(gpu, became);
	sort_gpu_rows(gpu->shares, gpu->share_count, sizeof(*gpu->shares),
		      by_share_device);
	sort_gpu_rows(gpu->streams, gpu->stream_count, sizeof(*gpu->streams),
		      by_stream);
	sort_gpu_rows(gpu->ranks, gpu->rank_count, sizeof(*gpu->ranks),
		      by_device_rank);
	sort_gpu_rows(gpu->known, gpu->known_count, sizeof(*gpu->known),
		      by_known);
	settle_spans(gpu, run);
	run->gpu = *gpu;
	*gpu = (struct run_gpu){ 0 };
	fini_devices(d);
	return 0;
}

const struct gatherer gatherer_devices = { .size = sizeof(struct devices),
					   .init = init_devices,
					   .fini = fini_devices,
					   .add = gather_devices,
					   .wanted = want_devices,
					   .finish = finish_devices };
