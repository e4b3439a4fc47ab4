/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * file-records.c - what all processes did with each file.
 *
 * A file of a file system that hosts share is one for all of them; of another
 * one it is its host's.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/combine.h"
#include "base/comparison.h"
#include "base/err.h"
#include "base/file-system.h"
#include "base/map.h"
#include "live/layout.h"
#include "run/gatherer.h"

enum {
	RUN_FILES = 1 << 16 /* then all are one */
};

struct file_records {
	struct run_io sum; /* processes in the order of reading; see names */
	size_t room;
	struct strings names;
	struct map found; /* path and host */
};

static void fini_file_records(void *state)
{
	struct file_records *f = state;

	run_io_fini(&f->sum);
	strings_fini(&f->names);
	map_fini(&f->found);
	*f = (struct file_records){ 0 };
}

static uint64_t record_ns(const struct profile_file *f)
{
	return f->read_ns + f->write_ns + f->other_ns;
}

/* Ties go to the first. */
static void note_extremes(struct run_file *to, const struct profile_file *from,
			  uint32_t process)
{
	uint64_t ns = record_ns(from);
	uint64_t bytes = from->read_bytes + from->written_bytes;
	bool first = !to->processes;

	if (first || ns < to->fastest_ns) {
		to->fastest = process;
		to->fastest_ns = ns;
		to->fastest_bytes = bytes;
	}
	if (first || ns > to->slowest_ns) {
		to->slowest = process;
		to->slowest_ns = ns;
		to->slowest_bytes = bytes;
	}
	if (first || bytes > to->largest_bytes) {
		to->largest = process;
		to->largest_bytes = bytes;
	}
}

static void note_nodes(struct run_file *to, const struct profile_file *from,
		       const uint32_t *nodes)
{
	if (from->read_most_ns > to->read_most_ns)
		to->read_node = nodes[from->read_node];
	if (from->write_most_ns > to->write_most_ns)
		to->write_node = nodes[from->write_node];
	if (from->other_most_ns > to->other_most_ns)
		to->other_node = nodes[from->other_node];
}

static void add_file_use(struct run_file *to, const struct profile_file *from,
			 const struct gathered *one)
{
	note_extremes(to, from, one->process);
	note_nodes(to, from, one->nodes);
	to->processes++;
	to->readers += from->read_bytes > 0;
	to->writers += from->written_bytes > 0;
#define COLUMN(type, name, help, how) COMBINE_##how(to->name, from->name);
#include "live/file.def"
#undef COLUMN
}

/* NULL: no memory. */
static struct run_file *row_of_file(struct file_records *f,
				    const struct gathered *one,
				    const struct profile_file *from)
{
	bool shared = file_system_is_shared(from->system);
	struct run_file row = {
		.path = str_add(&f->names, from->path),
		.host = str_add(&f->names, shared ? "" : one->profile->id.host),
		.kind = from->kind,
		.system = from->system,
		.block = from->block,
		.first_ns = UINT64_MAX,
	};
	uint32_t fresh = (uint32_t)f->sum.file_count, i;

	if (row.path == STR_NONE || row.host == STR_NONE)
		return NULL;
	if (from->kind == LIVE_FILE_OTHERS || fresh >= RUN_FILES)
		row.kind = LIVE_FILE_OTHERS;
	i = map_put(&f->found,
		    row.kind == LIVE_FILE_OTHERS
			    ? UINT64_MAX
			    : (uint64_t)row.path << 32 | row.host,
		    row.kind, fresh);
	if (i == MAP_NONE)
		return NULL;
	if (row.kind == LIVE_FILE_OTHERS)
		row.path = row.host = str_add(&f->names, "");
	if (i == fresh && !array_append(&f->sum.files, &f->sum.file_count,
					&f->room, sizeof(row), &row))
		return NULL;
	return &f->sum.files[i];
}

static int add_file_records(void *state, const struct gathered *one)
{
	struct file_records *f = state;
	const struct profile *p = one->profile;

	for (size_t i = 0; i < p->file_count; i++) {
		struct run_file *to = row_of_file(f, one, &p->files[i]);

		if (!to)
			return no_memory();
		add_file_use(to, &p->files[i], one);
	}
	return 0;
}

static void want_file_nodes(const void *state, bool *wanted)
{
	const struct file_records *f = state;

	for (size_t i = 0; i < f->sum.file_count; i++) {
		wanted[f->sum.files[i].read_node] = true;
		wanted[f->sum.files[i].write_node] = true;
		wanted[f->sum.files[i].other_node] = true;
	}
}

static uint64_t run_file_ns(const struct run_file *f)
{
	return f->read_ns + f->write_ns + f->other_ns;
}

static int by_file_time(const void *x, const void *y, void *strings)
{
	const struct run_file *a = x, *b = y;

	return ORDER(run_file_ns(b), run_file_ns(a))
		       ?: strcmp(str_at(strings, a->path),
				 str_at(strings, b->path))
		       ?: strcmp(str_at(strings, a->host),
				 str_at(strings, b->host));
}

static int finish_file_records(void *state, struct run *run,
			       const uint32_t *order, const uint32_t *became)
{
	struct file_records *f = state;

	for (size_t i = 0; i < f->sum.file_count; i++) {
		struct run_file *to = &f->sum.files[i];

		to->fastest = order[to->fastest];
		to->slowest = order[to->slowest];
		to->largest = order[to->largest];
		to->read_node = became[to->read_node];
		to->write_node = became[to->write_node];
		to->other_node = became[to->other_node];
		to->path = str_add(&run->strings, str_at(&f->names, to->path));
		to->host = str_add(&run->strings, str_at(&f->names, to->host));
		if (to->path == STR_NONE || to->host == STR_NONE)
			return no_memory();
	}
	if (f->sum.file_count)
		qsort_r(f->sum.files, f->sum.file_count, sizeof(*f->sum.files),
			by_file_time, &run->strings);
	run->io = f->sum;
	f->sum = (struct run_io){ 0 };
	fini_file_records(f);
	return 0;
}

const struct gatherer gatherer_file_records = {
	.size = sizeof(struct file_records),
	.fini = fini_file_records,
	.add = add_file_records,
	.wanted = want_file_nodes,
	.finish = finish_file_records,
};
