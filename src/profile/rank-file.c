/* SPDX-License-Identifier: BSD-3-Clause */
/* rank-file.c - a profile as rank-N.h5; copse-format(5) has the layout. */
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
#include "live/power.h"
#include "profile/profile.h"
#include "profile/metric-group.h"
#include "profile/store/store.h"

#define FORMAT  "copse rank profile"
#define VERSION 1

#define TABLE                        STORE_FIELDS
#define RECORD                       STORE_FIELDS
#define COLUMN(type, name, ...)      STORE_FIELD(row, name),
#define ADDED(type, name, ...)       STORE_ADDED(row, name),
#define NAMED(column, member, added) STORE_NAMED(column, row, member, added),
#define END_TABLE                    STORE_END_FIELDS
#include "profile/profile.def"

const struct store_field *profile_cores_fields(void)
{
	static const struct store_field fields[] = {
		STORE_FIELD(struct cores, count),
		STORE_FIELD(struct cores, key),
		STORE_FIELD(struct cores, waited_ns),
		{ 0 },
	};

	return fields;
}

const struct store_field *profile_family_fields(void)
{
	static const struct store_field fields[] = {
		STORE_FIELD(struct family, cpu_ns),
		STORE_FIELD(struct family, start_ns),
		STORE_FIELD(struct family, unsampled),
		STORE_FIELD(struct family, failed),
		STORE_ADDED(struct family, user_ns),
		STORE_ADDED(struct family, system_ns),
		STORE_ADDED(struct family, faults),
		STORE_ADDED(struct family, switches),
		STORE_ADDED(struct family, own_ns),
		STORE_ADDED(struct family, io_read),
		STORE_ADDED(struct family, io_written),
		STORE_ADDED(struct family, stored_read),
		STORE_ADDED(struct family, stored_written),
		{ 0 },
	};

	return fields;
}

/* Of MPI programs. */
static const struct store_field world_fields[] = {
	STORE_NAMED("id", struct profile_identity, world_id, false),
	{ 0 },
};

/* Tables that have no rows may be left out: columns cost time. */
static void put_tables(struct store *s, const struct profile *of)
{
#define TABLE STORE_PUT_TABLE
#include "profile/profile.def"
}

static void get_tables(struct store *s, struct profile *of)
{
#define TABLE STORE_GET_TABLE
#include "profile/profile.def"
}

/* A record that only some processes have. */
static void get_record(struct store *s, const char *group,
		       const struct store_field *fields, void *record)
{
	if (store_has(s, group))
		store_get_record(s, group, fields, record);
}

static void save_column(struct store *s, const struct profile_column *c)
{
	struct metric_group metric = { .unit = c->unit,
				       .merge = c->merge,
				       .counting = c->counting };
	char path[METRIC_PATH_SIZE];

	memcpy(metric.name, c->name, sizeof(metric.name));
	metric_group_put(s, &metric);
	store_put_table(s, metric_path(path, c->name, ""),
			profile_value_fields(), c->values, sizeof(*c->values),
			c->count);
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
	store_put_record(s, "identity", profile_identity_fields(), &p->id);
	if (p->id.cores.count)
		store_put_record(s, "cores", profile_cores_fields(),
				 &p->id.cores);
	if (p->id.family.cpu_ns || p->id.family.user_ns)
		store_put_record(s, "family", profile_family_fields(),
				 &p->id.family);
	if (p->id.world_id)
		store_put_record(s, "world", world_fields, &p->id);
	put_tables(s, p);
	if (p->device_count)
		store_put_record(s, "gpu", profile_gpu_times_fields(), &p->gpu);
	if (p->gpu_known.ns)
		store_put_record(s, "gpu/known", profile_gpu_known_fields(),
				 &p->gpu_known);
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
	c->values = store_get_table(s, metric_path(path, name, ""),
				    profile_value_fields(), sizeof(*c->values),
				    &c->count);
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

static void check_nodes(struct store *s, const struct profile *p)
{
	if (!p->node_count || p->nodes[0].kind != NODE_ROOT ||
	    p->nodes[0].parent)
		store_fail(s, -EINVAL, "damaged: the tree has no root");
	for (size_t i = 1; i < p->node_count; i++) {
		const struct profile_node *n = &p->nodes[i];

		if (n->parent >= i || n->kind == NODE_ROOT ||
		    !profile_has_owner(p, n->kind, n->owner)) {
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

/* What every row of a table may have: indices that lead somewhere. */
#define TABLE(record, ...)                                                     \
	static inline bool record##_good(const struct profile *of,             \
					 const struct record *row)             \
	{                                                                      \
		(void)of;                                                      \
		(void)row;                                                     \
		return true
#define RECORD                  TABLE
#define INDEX(count, name, ...) &&row->name < (count)
#define ADDED_INDEX             INDEX
#define END_TABLE                                                              \
	;                                                                      \
	}
#include "profile/profile.def"

/* Node and thread exist, and the values are in their order. */
static void check_column(struct store *s, const struct profile *p,
			 const struct profile_column *c)
{
	uint64_t last = 0;

	for (size_t i = 0; i < c->count; i++) {
		const struct profile_value *v = &c->values[i];
		uint64_t key = (uint64_t)v->node << 32 | v->thread;

		if (!profile_value_good(p, v) || (i && key <= last)) {
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

static void check_indices(struct store *s, const struct profile *of)
{
#define TABLE(record, array, number, group, ...)                               \
	for (size_t i = 0; i < of->number; i++)                                \
		if (!record##_good(of, &of->array[i]))                         \
			damaged_row(s, group, i);
#include "profile/profile.def"
}

static void check_profile_calls(struct store *s, const struct profile *p)
{
	for (size_t i = 0; i < p->site_count; i++)
		if (p->sites[i].comm >= p->comm_count &&
		    p->sites[i].comm < PROFILE_SEVERAL_COMMS)
			damaged_row(s, "mpi/sites", i);
	for (size_t i = 0; i < p->size_count; i++)
		if (p->sizes[i].class >= LIVE_SIZES)
			damaged_row(s, "mpi/sizes", i);
}

/* Those of a thread are adjacent, in the order of time. */
static void check_profile_waits(struct store *s, const struct profile *p)
{
	for (size_t i = 0; i < p->part_count; i++) {
		const struct profile_event *a = &p->parts[i];

		if (a->kind >= LIVE_EVENT_KINDS || a->level > UINT8_MAX ||
		    !a->size || a->enter > a->leave || a->begin > a->leave ||
		    a->leave > PROFILE_TIME_MOST ||
		    (i && a[-1].thread > a->thread) ||
		    (i && a[-1].thread == a->thread && a[-1].enter > a->enter))
			damaged_row(s, "mpi/parts", i);
	}
	for (size_t i = 0; i < p->moment_count; i++) {
		const struct profile_moment *a = &p->moments[i];

		if (a->ns > PROFILE_TIME_MOST ||
		    (i && a[-1].thread > a->thread) ||
		    (i && a[-1].thread == a->thread && a[-1].ns > a->ns))
			damaged_row(s, "mpi/moments", i);
	}
}

static void check_slices(struct store *s, const struct profile *p)
{
	for (size_t i = 0; i < p->slice_count; i++) {
		const struct profile_slice *a = &p->slices[i];

		if (a->start > a->end || a->end > PROFILE_TIME_MOST ||
		    a->launched > PROFILE_TIME_MOST ||
		    a->kind >= LIVE_GPU_IDLE || a->function >= LIVE_COLLECTIVES)
			damaged_row(s, "gpu-trace/work", i);
	}
	for (size_t i = 0; i < p->slice_call_count; i++)
		if (p->slice_calls[i].start > p->slice_calls[i].end ||
		    p->slice_calls[i].end > PROFILE_TIME_MOST)
			damaged_row(s, "gpu-trace/calls", i);
	for (size_t i = 0; i < p->slice_range_count; i++)
		if (p->slice_ranges[i].start > p->slice_ranges[i].end ||
		    p->slice_ranges[i].end > PROFILE_TIME_MOST)
			damaged_row(s, "gpu-trace/ranges", i);
}

static void check_collectives(struct store *s, const struct profile *p)
{
	for (size_t i = 0; i < p->collective_count; i++) {
		const struct profile_collective *a = &p->collectives[i];

		if (a->start > a->end || a->end > PROFILE_TIME_MOST ||
		    a->launched > PROFILE_TIME_MOST || a->level > 64 ||
		    a->kept > 64 || a->function >= LIVE_COLLECTIVES)
			damaged_row(s, "gpu/collectives", i);
	}
}

/* Stamps of a context are adjacent, in the order of time. */
static void check_steps(struct store *s, const struct profile *p)
{
	size_t next = 0;

	for (size_t i = 0; i < p->step_count && !store_error(s); i++) {
		const struct profile_step *step = &p->steps[i];

		if (step->first != next || !step->count || !step->stride ||
		    !step->per || step->head > step->count ||
		    step->count > p->stamp_count - next ||
		    !(step->regular >= 0 && step->regular <= 1))
			damaged_row(s, "steps/contexts", i);
		next += step->count;
	}
	for (size_t i = 0; i < p->stamp_count && !store_error(s); i++)
		if (p->stamps[i].ns > PROFILE_TIME_MOST ||
		    p->stamps[i].mpi_ns > p->stamps[i].ns)
			damaged_row(s, "steps/stamps", i);
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

		if (b->bin >= LIVE_BINS || (i && b[-1].device > b->device) ||
		    (i && b[-1].device == b->device && b[-1].bin >= b->bin) ||
		    b->ns > (uint64_t)1 << p->devices[b->device].bin_shift)
			damaged_row(s, "gpu/bins", i);
	}
	for (size_t i = 0; i < p->stream_count; i++)
		if (p->streams[i].first_ns > p->streams[i].last_ns ||
		    p->streams[i].last_ns > PROFILE_TIME_MOST)
			damaged_row(s, "gpu/streams", i);
	if (p->gpu.first_ns > p->gpu.last_ns ||
	    p->gpu.last_ns > PROFILE_TIME_MOST)
		damaged_row(s, "gpu", 0);
}

static bool samples_good(const struct profile *p)
{
	uint64_t words = 0;
	bool good = true;

	for (size_t i = 0; i < p->cubin_count && good; i++) {
		good = p->cubins[i].size <= 8 * p->cubin_word_count;
		words += p->cubins[i].size / 8 + (p->cubins[i].size % 8 != 0);
	}
	return good && words <= p->cubin_word_count;
}

static bool good_power(const struct profile *p)
{
	bool good = true;

	for (size_t i = 0; i < p->power_count && good; i++) {
		const struct profile_power *w = &p->powers[i];

		good = w->bin_shift < 64 && w->first_ns <= w->last_ns &&
		       w->last_ns <= PROFILE_TIME_MOST;
	}
	for (size_t i = 0; i < p->power_bin_count && good; i++)
		good = p->power_bins[i].bin < LIVE_POWER_BINS;
	return good;
}

static void check_gpu_tables(struct store *s, const struct profile *p)
{
	bool good = good_power(p);

	for (size_t i = 0; i < p->holder_count && good; i++)
		good = p->holders[i].first_ns <= PROFILE_TIME_MOST &&
		       p->holders[i].width_ns <= PROFILE_TIME_MOST &&
		       p->holders[i].peak_ns <= PROFILE_TIME_MOST;
	for (size_t i = 0; i < p->memory_bin_count && good; i++)
		good = p->memory_bins[i].bin < LIVE_MEMORY_BINS;
	for (size_t i = 0; i < p->held_count && good; i++)
		good = p->held[i].kind < LIVE_MEMORY_KINDS;
	for (size_t i = 0; i < p->unified_count && good; i++)
		good = p->unified[i].kind < LIVE_UNIFIED_KINDS;
	for (size_t i = 0; i < p->shape_count && good; i++)
		good = p->shapes[i].least_blocks <= p->shapes[i].most_blocks;
	if (!good || !samples_good(p))
		store_fail(s, -EINVAL, "damaged: what it has of GPUs");
}

static void check_io_times(struct store *s, const struct profile *p)
{
	bool good = true;

	for (size_t i = 0; i < p->io_bin_count && good; i++)
		good = p->io_bins[i].ns <= PROFILE_TIME_MOST &&
		       p->io_bins[i].width_ns <= PROFILE_TIME_MOST &&
		       p->io_bins[i].width_ns > 0;
	if (!good)
		store_fail(s, -EINVAL, "damaged: the bytes over time");
}

static int load_rank_file(struct profile *p, const char *path,
			  struct file_extent piece)
{
	struct store *s = NULL;
	int err = store_open_piece(&s, path, piece, FORMAT, VERSION);

	if (err)
		return err;
	store_get_record(s, "identity", profile_identity_fields(), &p->id);
	get_record(s, "cores", profile_cores_fields(), &p->id.cores);
	get_record(s, "family", profile_family_fields(), &p->id.family);
	get_record(s, "world", world_fields, &p->id);
	get_tables(s, p);
	get_record(s, "gpu", profile_gpu_times_fields(), &p->gpu);
	get_record(s, "gpu/known", profile_gpu_known_fields(), &p->gpu_known);
	load_columns(s, p);
	clean_build_ids(p);
	if (!store_error(s))
		check_nodes(s, p);
	for (size_t i = 0; i < p->column_count && !store_error(s); i++)
		check_column(s, p, &p->columns[i]);
	if (!store_error(s))
		check_indices(s, p);
	if (!store_error(s))
		check_profile_calls(s, p);
	if (!store_error(s))
		check_profile_waits(s, p);
	if (!store_error(s))
		check_collectives(s, p);
	check_slices(s, p);
	check_io_times(s, p);
	if (!store_error(s))
		check_steps(s, p);
	if (!store_error(s))
		check_gpu_tables(s, p);
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
