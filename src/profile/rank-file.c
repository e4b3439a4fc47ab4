/* SPDX-License-Identifier: BSD-3-Clause */
/* rank-file.c - a profile as rank-N.h5; doc/copse-format.5 has the layout. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/regular.h"
#include "live/layout.h"
#include "profile/profile.h"
#include "profile/metric-group.h"
#include "profile/rank-gpu-tables.h"
#include "profile/store.h"

#define FORMAT  "copse rank profile"
#define VERSION 1

#define ID(TYPE, member) STORE_FIELD(TYPE, struct profile_identity, member)
#define ID_BATCH(name)                                                         \
	{                                                                      \
		"batch_" #name, STORE_CHARS,                                   \
			offsetof(struct profile_identity, batch.name),         \
			sizeof(((struct batch *)0)->name), true                \
	}
static const struct store_field id_fields[] = {
	ID(I32, rank),
	ID(I32, size),
	ID(U32, pid),
	ID(U32, ppid),
	ID(CHARS, host),
	ID(TEXT, exe),
	ID(TEXT, command),
	ID(TEXT, job),
	ID_BATCH(manager),
#define FACT(name, ...) ID_BATCH(name),
#include "base/batch.def"
	{ "copse_version", STORE_TEXT,
	  offsetof(struct profile_identity, version), sizeof(char *) },
	ID(TEXT, events),
	ID(TEXT, mpi_library),
	ID(U64, start_real_ns),
	ID(U64, start_mono_ns),
	ID(U64, end_mono_ns),
	ID(U64, late_real_ns),
	ID(U64, late_mono_ns),
	ID(CHARS, clock_id),
	ID(U64, mpi_init_ns),
	ID(U64, mpi_finalize_ns),
	ID(U32, mpi_thread),
	ID(U32, mpi_error),
	ID(U32, end),
	ID(U32, end_code),
	ID(U64, freq),
	ID(U32, clock),
	ID(U32, wall),
	ID(U64, process_cpu_ns),
	ID(U64, paused_ns),
	ID(U64, mpi_init_paused_ns),
	ID(U64, mpi_finalize_paused_ns),
	{ 0 },
};

#define CORES(TYPE, member) STORE_FIELD(TYPE, struct cores, member)
static const struct store_field cores_fields[] = {
	CORES(U64, count),
	CORES(U64, key),
	CORES(U64, waited_ns),
	{ 0 },
};

#define FAMILY(TYPE, member) STORE_FIELD(TYPE, struct family, member)
static const struct store_field family_fields[] = {
	FAMILY(U64, cpu_ns),
	FAMILY(U64, start_ns),
	FAMILY(U64, unsampled),
	FAMILY(U64, failed),
	{ 0 },
};

/* Of MPI programs. */
static const struct store_field world_fields[] = {
	{ "id", STORE_U64, offsetof(struct profile_identity, world_id), 0 },
	{ 0 },
};

#define MODULE(TYPE, member) STORE_FIELD(TYPE, struct profile_module, member)
static const struct store_field module_fields[] = {
	MODULE(TEXT, path),
	MODULE(CHARS, build_id),
	MODULE(U64, base),
	{ 0 },
};

#define NAME(TYPE, member) STORE_FIELD(TYPE, struct profile_name, member)
static const struct store_field name_fields[] = {
	NAME(TEXT, text),
	NAME(U32, class),
	NAME(U32, detail),
	{ 0 },
};

#define NODE(TYPE, member) STORE_FIELD(TYPE, struct profile_node, member)
static const struct store_field node_fields[] = {
	NODE(U32, parent), NODE(U32, kind), NODE(U32, owner),
	NODE(U64, offset), { 0 },
};

#define VALUE(TYPE, member) STORE_FIELD(TYPE, struct profile_value, member)
static const struct store_field value_fields[] = {
	VALUE(U32, node),
	VALUE(U32, thread),
	VALUE(U64, value),
	{ 0 },
};

#define LOSS_FIELD(TYPE, member) STORE_FIELD(TYPE, struct profile_loss, member)
static const struct store_field loss_fields[] = {
	LOSS_FIELD(CHARS, name),
	LOSS_FIELD(U64, count),
	{ 0 },
};

#define THREAD(TYPE, member) STORE_FIELD(TYPE, struct profile_thread, member)
#define THREAD_ADDED(TYPE, member)                                             \
	STORE_ADDED(TYPE, struct profile_thread, member)
static const struct store_field thread_fields[] = {
	THREAD(U32, tid),
	THREAD(U32, clock),
	THREAD(U32, runs),
	THREAD(U32, ended),
	THREAD(CHARS, name),
	THREAD(U64, first_ns),
	THREAD(U64, last_ns),
	THREAD(U64, cpu_ns),
	THREAD(U64, wall_ns),
	THREAD(U64, samples),
	THREAD(U64, ticks),
	THREAD(U64, handler_ns),
	THREAD(U64, wrapper_ns),
	THREAD(U64, slowest_ns),
	THREAD(U32, every),
	THREAD(U32, level),
	THREAD_ADDED(U64, switches),
	THREAD_ADDED(U64, switch_ns),
	THREAD_ADDED(U64, timer_samples),
	{ 0 },
};

#define COMM(TYPE, member) STORE_FIELD(TYPE, struct profile_comm, member)
static const struct store_field comm_fields[] = {
	COMM(U32, size),  COMM(U32, rank),  COMM(U32, inter),
	COMM(U64, calls), COMM(U64, id),    COMM(U64, instances),
	COMM(U32, first), COMM(TEXT, name), { 0 },
};

#define SITE(TYPE, member) STORE_FIELD(TYPE, struct profile_site, member)
static const struct store_field site_fields[] = {
	SITE(U32, node),
	SITE(U32, comm),
	SITE(I32, root),
	{ 0 },
};

#define SIZE_FIELD(TYPE, member) STORE_FIELD(TYPE, struct profile_size, member)
static const struct store_field size_fields[] = {
	SIZE_FIELD(U32, node),
	SIZE_FIELD(U32, class),
	SIZE_FIELD(U64, calls),
	SIZE_FIELD(U64, ns),
	{ 0 },
};

#define PEER(TYPE, member) STORE_FIELD(TYPE, struct profile_peer, member)
static const struct store_field peer_fields[] = {
	PEER(U32, rank),       PEER(U64, sends),
	PEER(U64, sent),       PEER(U64, send_ns),
	PEER(U64, receives),   PEER(U64, received),
	PEER(U64, receive_ns), { 0 },
};

#define PART_FIELD(TYPE, member) STORE_FIELD(TYPE, struct profile_part, member)
static const struct store_field part_fields[] = {
	PART_FIELD(U64, key),
	PART_FIELD(U64, begin),
	PART_FIELD(U64, enter),
	PART_FIELD(U64, leave),
	PART_FIELD(U32, begin_node),
	PART_FIELD(U32, node),
	PART_FIELD(U32, thread),
	PART_FIELD(I32, peer),
	PART_FIELD(U32, check),
	PART_FIELD(U32, size),
	PART_FIELD(U32, comm_rank),
	PART_FIELD(U32, cluster),
	PART_FIELD(U32, kind),
	PART_FIELD(U32, level),
	{ 0 },
};

#define MOMENT(TYPE, member) STORE_FIELD(TYPE, struct profile_moment, member)
static const struct store_field moment_fields[] = {
	MOMENT(U64, ns),
	MOMENT(U32, node),
	MOMENT(U32, thread),
	MOMENT(U32, weight_ns),
	{ 0 },
};

#define DEVICE(TYPE, member) STORE_FIELD(TYPE, struct profile_device, member)
static const struct store_field device_fields[] = {
	DEVICE(U32, id),
	DEVICE(CHARS, uuid),
	DEVICE(CHARS, name),
	DEVICE(I32, instance),
	DEVICE(U64, busy_ns),
	DEVICE(U64, kernels_ns),
	DEVICE(U64, copies_ns),
	DEVICE(U64, kernels_sum_ns),
	DEVICE(U64, first_ns),
	DEVICE(U64, last_ns),
	DEVICE(U64, kernels),
	DEVICE(U64, copies),
	DEVICE(U64, first_bin),
	DEVICE(U32, bin_shift),
	{ 0 },
};

#define BIN(TYPE, member) STORE_FIELD(TYPE, struct profile_bin, member)
static const struct store_field bin_fields[] = {
	BIN(U32, device),
	BIN(U32, bin),
	BIN(U64, ns),
	{ 0 },
};

#define STREAM(TYPE, member) STORE_FIELD(TYPE, struct profile_stream, member)
static const struct store_field stream_fields[] = {
	STREAM(U32, device),     STREAM(U32, context),
	STREAM(U32, stream),     STREAM(U64, busy_ns),
	STREAM(U64, kernels_ns), STREAM(U64, first_ns),
	STREAM(U64, last_ns),    STREAM(U64, kernels),
	STREAM(U64, copies),     { 0 },
};

#define WORK(TYPE, member) STORE_FIELD(TYPE, struct profile_work, member)
static const struct store_field work_fields[] = {
	WORK(U32, node), WORK(U32, device), WORK(U64, count), WORK(U64, ns),
	{ 0 },
};

#define GPU(TYPE, member) STORE_FIELD(TYPE, struct profile_gpu_times, member)
static const struct store_field gpu_fields[] = {
	GPU(U64, busy_ns),
	GPU(U64, first_ns),
	GPU(U64, last_ns),
	GPU(U64, late),
	GPU(U64, late_ns),
	GPU(U64, first_paused_ns),
	{ 0 },
};

static const struct store_field known_fields[] = {
	STORE_FIELD(U64, struct profile_gpu_known, ns),
	{ 0 },
};

/* The arrays that are stored as they are. */
struct stored_array {
	const char *group;
	const struct store_field *fields;
	size_t row_size;
	size_t rows, count; /* where struct profile has them */
	const char *later;  /* a column that files may lack; NULL: none */
};
#define LATER_PART(group, fields, array, number, later)                        \
	{                                                                      \
		group, fields, sizeof(*((struct profile *)0)->array),          \
			offsetof(struct profile, array),                       \
			offsetof(struct profile, number), later                \
	}
#define PART(group, fields, array, number)                                     \
	LATER_PART(group, fields, array, number, NULL)
static const struct stored_array parts[] = {
	PART("modules", module_fields, modules, module_count),
	PART("names", name_fields, names, name_count),
	PART("nodes", node_fields, nodes, node_count),
	PART("losses", loss_fields, losses, loss_count),
	PART("threads", thread_fields, threads, thread_count),
	PART("comms", comm_fields, comms, comm_count),
	PART("mpi/sites", site_fields, sites, site_count),
	PART("mpi/sizes", size_fields, sizes, size_count),
	PART("mpi/peers", peer_fields, peers, peer_count),
	PART("mpi/parts", part_fields, parts, part_count),
	PART("mpi/moments", moment_fields, moments, moment_count),
	LATER_PART("gpu/devices", device_fields, devices, device_count,
		   "gpu/devices/id"),
	LATER_PART("gpu/bins", bin_fields, bins, bin_count, "gpu/bins/device"),
	LATER_PART("gpu/streams", stream_fields, streams, stream_count,
		   "gpu/streams/device"),
	LATER_PART("gpu/works", work_fields, works, work_count,
		   "gpu/works/node"),
};
enum {
	PARTS = sizeof(parts) / sizeof(parts[0])
};

static void save_column(struct store *s, const struct profile_column *c)
{
	struct metric_group metric = { .unit = c->unit,
				       .merge = c->merge,
				       .counting = c->counting };
	char path[METRIC_PATH_SIZE];

	memcpy(metric.name, c->name, sizeof(metric.name));
	metric_group_put(s, &metric);
	store_put_table(s, metric_path(path, c->name, ""), value_fields,
			c->values, sizeof(*c->values), c->count);
}

int profile_save(const struct profile *p, const char *path)
{
	return profile_save_in(p, AT_FDCWD, path);
}

int profile_save_in(const struct profile *p, int dir, const char *path)
{
	struct store *s = NULL;
	int err = store_create_in(&s, dir, path, FORMAT, VERSION);

	if (err)
		return err;
	store_put_record(s, "identity", id_fields, &p->id);
	if (p->id.cores.count)
		store_put_record(s, "cores", cores_fields, &p->id.cores);
	if (p->id.family.cpu_ns)
		store_put_record(s, "family", family_fields, &p->id.family);
	if (p->id.world_id)
		store_put_record(s, "world", world_fields, &p->id);
	for (size_t i = 0; i < PARTS; i++) {
		const char *at = (const char *)p;
		const void *rows;
		size_t count;

		memcpy(&rows, at + parts[i].rows, sizeof(rows));
		memcpy(&count, at + parts[i].count, sizeof(count));
		if (parts[i].later && !count)
			continue; /* as in an older file: columns cost time */
		store_put_table(s, parts[i].group, parts[i].fields, rows,
				parts[i].row_size, count);
	}
	rank_facts_put(s, p);
	if (p->device_count)
		store_put_record(s, "gpu", gpu_fields, &p->gpu);
	if (p->gpu_known.ns)
		store_put_record(s, "gpu/known", known_fields, &p->gpu_known);
	metric_groups_new(s);
	for (size_t i = 0; i < p->column_count; i++)
		save_column(s, &p->columns[i]);
	return store_commit(s);
}

static void load_column(struct store *s, const char *name,
			struct profile_column *c)
{
	struct metric_group metric = { 0 };
	char path[METRIC_PATH_SIZE];

	metric_group_get(s, name, &metric);
	c->values =
		store_get_table(s, metric_path(path, name, ""), value_fields,
				sizeof(*c->values), &c->count);
	memcpy(c->name, metric.name, sizeof(c->name));
	c->unit = metric.unit;
	c->merge = metric.merge;
	c->counting = metric.counting;
}

static void load_columns(struct store *s, struct profile *p)
{
	size_t count;
	char **names = store_list(s, "metrics", &count);

	p->columns = names ? calloc(count + 1, sizeof(*p->columns)) : NULL;
	if (names && !p->columns)
		store_fail(s, -ENOMEM, "out of memory");
	for (size_t i = 0; i < count && !store_error(s); i++)
		load_column(s, names[i], &p->columns[p->column_count++]);
	free(names);
}

/* What `owner` of a node may be, by its kind. */
static size_t owners(const struct profile *p, uint32_t kind)
{
	switch (kind) {
	case NODE_CALL:
	case NODE_PC:
		return p->module_count;
	case NODE_NAMED:
		return p->name_count;
	case NODE_PARTIAL:
		return p->loss_count;
	default:
		return SIZE_MAX;
	}
}

static void check_nodes(struct store *s, const struct profile *p)
{
	if (!p->node_count || p->nodes[0].kind != NODE_ROOT ||
	    p->nodes[0].parent)
		store_fail(s, -EINVAL, "damaged: the tree has no root");
	for (size_t i = 1; i < p->node_count; i++) {
		const struct profile_node *n = &p->nodes[i];

		if (n->parent >= i || n->kind == NODE_ROOT ||
		    n->kind >= NODE_KINDS || n->owner >= owners(p, n->kind)) {
			store_fail(s, -EINVAL,
				   "damaged: node %zu refers to nothing", i);
			return;
		}
	}
}

/* It becomes a part of names of files: hexadecimal, or none. */
static void clean_build_ids(struct profile *p)
{
	for (size_t i = 0; i < p->module_count; i++) {
		char *id = p->modules[i].build_id;

		if (id[strspn(id, "0123456789abcdef")])
			*id = 0;
	}
}

/* Node and thread exist, and the values are in their order. */
static void check_column(struct store *s, const struct profile *p,
			 const struct profile_column *c)
{
	uint64_t last = 0;

	for (size_t i = 0; i < c->count; i++) {
		const struct profile_value *v = &c->values[i];
		uint64_t key = (uint64_t)v->node << 32 | v->thread;

		if (v->node >= p->node_count || v->thread >= p->thread_count ||
		    (i && key <= last)) {
			store_fail(s, -EINVAL,
				   "damaged: value %zu of '%s' is out of place",
				   i, c->name);
			return;
		}
		last = key;
	}
}

static void damaged_row(struct store *s, const char *table, size_t row)
{
	store_fail(s, -EINVAL, "damaged: row %zu of %s", row, table);
}

static void check_profile_calls(struct store *s, const struct profile *p)
{
	for (size_t i = 0; i < p->site_count; i++)
		if (p->sites[i].node >= p->node_count ||
		    (p->sites[i].comm >= p->comm_count &&
		     p->sites[i].comm < PROFILE_SEVERAL_COMMS))
			damaged_row(s, "mpi/sites", i);
	for (size_t i = 0; i < p->size_count; i++)
		if (p->sizes[i].node >= p->node_count ||
		    p->sizes[i].class >= LIVE_SIZES)
			damaged_row(s, "mpi/sizes", i);
}

/* Those of a thread stand together, in the order of time. */
static void check_profile_waits(struct store *s, const struct profile *p)
{
	for (size_t i = 0; i < p->part_count; i++) {
		const struct profile_part *a = &p->parts[i];

		if (a->node >= p->node_count ||
		    a->begin_node >= p->node_count ||
		    a->thread >= p->thread_count ||
		    a->kind >= LIVE_PART_KINDS || a->level > UINT8_MAX ||
		    !a->size || a->enter > a->leave || a->begin > a->leave ||
		    a->leave > PROFILE_TIME_MOST ||
		    (i && a[-1].thread > a->thread) ||
		    (i && a[-1].thread == a->thread && a[-1].enter > a->enter))
			damaged_row(s, "mpi/parts", i);
	}
	for (size_t i = 0; i < p->moment_count; i++) {
		const struct profile_moment *a = &p->moments[i];

		if (a->node >= p->node_count || a->thread >= p->thread_count ||
		    a->ns > PROFILE_TIME_MOST ||
		    (i && a[-1].thread > a->thread) ||
		    (i && a[-1].thread == a->thread && a[-1].ns > a->ns))
			damaged_row(s, "mpi/moments", i);
	}
}

static bool good_device(const struct profile_device *d)
{
	return d->bin_shift < 64 && d->last_ns <= PROFILE_TIME_MOST &&
	       d->first_ns <= d->last_ns &&
	       d->first_bin <= PROFILE_TIME_MOST >> d->bin_shift &&
	       d->busy_ns <= d->last_ns - d->first_ns;
}

static void check_devices(struct store *s, const struct profile *p)
{
	for (size_t i = 0; i < p->device_count; i++)
		if (!good_device(&p->devices[i]))
			damaged_row(s, "gpu/devices", i);
	/* The bins are measured by their devices' widths. */
	for (size_t i = 0; i < p->bin_count && !store_error(s); i++) {
		const struct profile_bin *b = &p->bins[i];

		if (b->device >= p->device_count || b->bin >= LIVE_BINS ||
		    (i && b[-1].device > b->device) ||
		    (i && b[-1].device == b->device && b[-1].bin >= b->bin) ||
		    b->ns > (uint64_t)1 << p->devices[b->device].bin_shift)
			damaged_row(s, "gpu/bins", i);
	}
	for (size_t i = 0; i < p->stream_count; i++)
		if (p->streams[i].first_ns > p->streams[i].last_ns ||
		    p->streams[i].last_ns > PROFILE_TIME_MOST)
			damaged_row(s, "gpu/streams", i);
	for (size_t i = 0; i < p->work_count; i++)
		if (p->works[i].node >= p->node_count)
			damaged_row(s, "gpu/works", i);
	if (p->gpu.first_ns > p->gpu.last_ns ||
	    p->gpu.last_ns > PROFILE_TIME_MOST)
		damaged_row(s, "gpu", 0);
}

static void load_parts(struct store *s, struct profile *p)
{
	for (size_t i = 0; i < PARTS; i++) {
		char *at = (char *)p;
		size_t count;

		if (parts[i].later && !store_has(s, parts[i].later))
			continue;
		void *rows = store_get_table(s, parts[i].group, parts[i].fields,
					     parts[i].row_size, &count);

		memcpy(at + parts[i].rows, &rows, sizeof(rows));
		memcpy(at + parts[i].count, &count, sizeof(count));
	}
}

static int load_rank_file(struct profile *p, const char *path,
			  struct file_extent piece)
{
	struct store *s = NULL;
	int err = store_open_piece(&s, path, piece, FORMAT, VERSION);

	if (err)
		return err;
	store_get_record(s, "identity", id_fields, &p->id);
	if (store_has(s, "cores"))
		store_get_record(s, "cores", cores_fields, &p->id.cores);
	if (store_has(s, "family"))
		store_get_record(s, "family", family_fields, &p->id.family);
	if (store_has(s, "world"))
		store_get_record(s, "world", world_fields, &p->id);
	load_parts(s, p);
	rank_facts_get(s, p);
	if (store_has(s, "gpu"))
		store_get_record(s, "gpu", gpu_fields, &p->gpu);
	if (store_has(s, "gpu/known"))
		store_get_record(s, "gpu/known", known_fields, &p->gpu_known);
	load_columns(s, p);
	clean_build_ids(p);
	if (!store_error(s))
		check_nodes(s, p);
	for (size_t i = 0; i < p->column_count && !store_error(s); i++)
		check_column(s, p, &p->columns[i]);
	if (!store_error(s))
		check_profile_calls(s, p);
	if (!store_error(s))
		check_profile_waits(s, p);
	if (!store_error(s))
		rank_facts_check(s, p);
	if (!store_error(s))
		check_devices(s, p);
	err = store_error(s);
	store_close(s);
	return err;
}

/* Raw copies of live profiles */

/* Read `size` bytes from `at` on: 0, also when the file ends before. */
static int read_rank_at(int fd, char *to, off_t at, size_t size)
{
	while (size) {
		ssize_t n = pread(fd, to, size, at);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			return 0;
		to += n > 0 ? n : 0;
		at += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* The parts of the file that are no holes: most of a live profile is one. */
static int read_sparse(int fd, char *to, off_t size)
{
	off_t begin = 0, end;
	int err = 0;

	while (!err && (begin = lseek(fd, begin, SEEK_DATA)) >= 0 &&
	       begin < size) {
		end = lseek(fd, begin, SEEK_HOLE);
		if (end <= begin || end > size)
			end = size;
		err = read_rank_at(fd, to + begin, begin,
				   (size_t)(end - begin));
		begin = end;
	}
	return err;
}

/*
 * Read, not mapped: a file that is made shorter meanwhile would be a SIGBUS,
 * and what was checked could change afterwards.
 */
static int load_live(struct profile **to, int fd, off_t size, const char *path)
{
	void *data = calloc(1, (size_t)size);
	char why[256];
	int err;

	if (!data)
		return fail(-ENOMEM, "%s: out of memory", path);
	err = read_sparse(fd, data, size);
	if (err)
		fail(err, "%s", strerror(-err));
	else
		err = profile_from_live(to, data, (size_t)size);
	free(data);
	if (!err)
		return 0;
	snprintf(why, sizeof(why), "%s", fail_reason());
	return fail(err, "%s: %s", path, why);
}

static bool is_live(int fd, off_t *size)
{
	struct stat st;
	uint64_t magic = 0;

	if (fd < 0 || fstat(fd, &st) < 0 ||
	    read_rank_at(fd, (char *)&magic, 0, sizeof(magic)) < 0)
		return false;
	*size = st.st_size;
	return magic == LIVE_MAGIC;
}

int profile_load_piece(struct profile **to, const char *path,
		       struct file_extent piece)
{
	struct profile *p = calloc(1, sizeof(*p));
	int err = p ? load_rank_file(p, path, piece)
		    : fail(-ENOMEM, "%s: out of memory", path);

	if (err)
		profile_free(p);
	else
		*to = p;
	return err;
}

int profile_load(struct profile **to, const char *path)
{
	int fd = regular_open(AT_FDCWD, path, O_RDONLY);
	off_t size;
	int err = is_live(fd, &size)
			  ? load_live(to, fd, size, path)
			  : profile_load_piece(to, path,
					       (struct file_extent){ 0 });

	if (fd >= 0)
		close(fd);
	return err;
}
