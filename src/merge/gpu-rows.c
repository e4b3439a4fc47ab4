/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-rows.c - what profiles have of GPUs, one profile after the other. */
#include "merge/gpu-rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "merge/devices.h"
#include "run/run-blob.h"

static const struct gpu_table { /* where a profile has it */
	size_t rows, count, size;
} gpu_tables[] = {
#define TABLE(rows, count)                                                     \
	{                                                                      \
		offsetof(struct profile, rows),                                \
			offsetof(struct profile, count),                       \
			sizeof(*((struct profile *)0)->rows)                   \
	}
	TABLE(devices, device_count),
	TABLE(bins, bin_count),
	TABLE(streams, stream_count),
	TABLE(works, work_count),
	TABLE(holders, holder_count),
	TABLE(memory_bins, memory_bin_count),
	TABLE(held, held_count),
	TABLE(unified, unified_count),
	TABLE(shapes, shape_count),
	TABLE(limits, limit_count),
	TABLE(sampling, sampling_count),
	TABLE(powers, power_count),
	TABLE(power_bins, power_bin_count),
	TABLE(power_phases, power_phase_count),
};

#define TABLES (sizeof(gpu_tables) / sizeof(*gpu_tables))

struct gpu_rows_head { /* of a profile */
	uint32_t process;
	char host[sizeof((struct profile_identity *)0)->host];
	char clock_id[sizeof((struct profile_identity *)0)->clock_id];
	uint64_t start_mono_ns, offload_ns;
	struct profile_gpu_times gpu;
	struct profile_gpu_known known;
};

void gpu_rows_fini(struct gpu_rows *rows)
{
	blob_fini(&rows->kept);
}

/*
 * Keep.
 */

static const void *table_rows(const struct profile *p,
			      const struct gpu_table *t, size_t *count)
{
	const void *rows;

	memcpy(&rows, (const char *)p + t->rows, sizeof(rows));
	memcpy(count, (const char *)p + t->count, sizeof(*count));
	return rows;
}

static bool has_gpu_rows(const struct profile *p)
{
	size_t count = 0;

	for (size_t i = 0; i < TABLES && !count; i++)
		table_rows(p, &gpu_tables[i], &count);
	return count || p->gpu_known.ns;
}

/* A copy of them, by malloc. */
static void *copied_rows(const void *rows, size_t count, size_t size)
{
	void *at = calloc(count + 1, size);

	if (at && count)
		memcpy(at, rows, count * size);
	return at;
}

/* Rows that refer to nodes refer to the unified tree's. */
static bool unify_gpu_nodes(struct profile *to, const uint32_t *nodes)
{
	to->works = copied_rows(to->works, to->work_count, sizeof(*to->works));
	to->power_phases = copied_rows(to->power_phases, to->power_phase_count,
				       sizeof(*to->power_phases));
	for (size_t i = 0; to->works && i < to->work_count; i++)
		to->works[i].node = nodes[to->works[i].node];
	for (size_t i = 0; to->power_phases && i < to->power_phase_count; i++)
		to->power_phases[i].node = nodes[to->power_phases[i].node];
	return to->works && to->power_phases;
}

/* Launches refer to names of their own. */
static bool keep_kernel_names(struct profile *to, struct strings *names)
{
	bool good;

	to->shapes =
		copied_rows(to->shapes, to->shape_count, sizeof(*to->shapes));
	good = to->shapes;
	for (size_t i = 0; i < to->shape_count && good; i++) {
		struct profile_shape *s = &to->shapes[i];

		s->name = str_add(names, to->names[s->name].text);
		good = s->name != STR_NONE;
	}
	return good;
}

static void put_gpu_head(struct blob *to, const struct profile *p,
			 uint32_t process)
{
	struct gpu_rows_head head = {
		.process = process,
		.start_mono_ns = p->id.start_mono_ns,
		.offload_ns = devices_offload(p),
		.gpu = p->gpu,
		.known = p->gpu_known,
	};

	memcpy(head.host, p->id.host, sizeof(head.host));
	memcpy(head.clock_id, p->id.clock_id, sizeof(head.clock_id));
	blob_put(to, &head, 1, sizeof(head));
}

int gpu_rows_add(struct gpu_rows *rows, const struct profile *p,
		 uint32_t process, const uint32_t *nodes)
{
	struct profile part = *p;
	struct strings names = { 0 };
	bool good;

	if (!has_gpu_rows(p))
		return 0;
	good = unify_gpu_nodes(&part, nodes);
	good = keep_kernel_names(&part, &names) && good;
	if (good) {
		put_gpu_head(&rows->kept, p, process);
		blob_put_strings(&rows->kept, &names);
	}
	for (size_t i = 0; i < TABLES && good; i++) {
		size_t count;
		const void *at = table_rows(&part, &gpu_tables[i], &count);

		blob_put(&rows->kept, at, count, gpu_tables[i].size);
	}
	free(part.works);
	free(part.power_phases);
	free(part.shapes);
	strings_fini(&names);
	return good ? blob_error(&rows->kept) : no_memory();
}

void gpu_rows_pack(const struct gpu_rows *rows, struct blob *to)
{
	blob_put(to, rows->kept.at, rows->kept.size, 1);
}

/*
 * Add.
 */

static bool get_gpu_head(struct blob *from, struct profile *to,
			 uint32_t *process, struct profile_value *offload)
{
	struct gpu_rows_head head;

	if (!blob_get_one(from, &head, sizeof(head)))
		return false;
	*process = head.process;
	memcpy(to->id.host, head.host, sizeof(head.host));
	memcpy(to->id.clock_id, head.clock_id, sizeof(head.clock_id));
	to->id.start_mono_ns = head.start_mono_ns;
	to->gpu = head.gpu;
	to->gpu_known = head.known;
	offload->thread = to->id.mpi_thread;
	offload->value = head.offload_ns;
	return true;
}

/* In a pool that was empty they keep their numbers. */
static bool get_kernel_names(struct blob *from, struct profile *to,
			     struct strings *names)
{
	uint32_t *became = blob_get_strings(from, names);

	free(became);
	if (!became)
		return false;
	to->name_count = names->count;
	to->names = calloc(to->name_count + 1, sizeof(*to->names));
	for (uint32_t i = 0; to->names && i < names->count; i++)
		to->names[i].text = names->at[i];
	return to->names;
}

static bool get_gpu_tables(struct blob *from, struct profile *to)
{
	for (size_t i = 0; i < TABLES; i++) {
		const struct gpu_table *t = &gpu_tables[i];
		size_t count;
		const void *rows = blob_get(from, &count, t->size);

		if (!rows)
			return false;
		memcpy((char *)to + t->rows, &rows, sizeof(rows));
		memcpy((char *)to + t->count, &count, sizeof(count));
	}
	return true;
}

/* The tables stay where they are, in the blob. */
static int absorb_gpu_profile(struct blob *from, uint32_t first,
			      const uint32_t *nodes,
			      const struct gpu_rows_user *user)
{
	struct profile_value value = { 0 };
	struct profile_column offload = { .count = 1, .values = &value };
	struct profile p = { .columns = &offload, .column_count = 1 };
	struct strings names = { 0 };
	uint32_t process;
	int err;

	strcpy(offload.name, metric_infos[METRIC_GPU_CALL_TIME].name);
	if (get_gpu_head(from, &p, &process, &value) &&
	    get_kernel_names(from, &p, &names) && get_gpu_tables(from, &p))
		err = user->add(user->of, &p, first + process, nodes);
	else
		err = pack_error(from);
	free(p.names);
	strings_fini(&names);
	return err;
}

int gpu_rows_absorb(struct blob *from, uint32_t process, const uint32_t *nodes,
		    const struct gpu_rows_user *user)
{
	struct blob rows = { 0 };
	size_t size;
	const char *at = blob_get(from, &size, 1);
	int err = at ? 0 : pack_error(from);

	memcpy(&rows.at, &at, sizeof(at)); /* which is only read from */
	rows.size = size;
	while (rows.read < rows.size && !err)
		err = absorb_gpu_profile(&rows, process, nodes, user);
	return err;
}
