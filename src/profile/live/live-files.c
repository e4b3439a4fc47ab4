/* SPDX-License-Identifier: BSD-3-Clause */
/* live-files.c - what a process did with files, read. */
#include <stdlib.h>
#include <string.h>

#include "base/combine.h"
#include "base/comparison.h"
#include "profile/live/live-reader.h"

/* Of a name, or of MPI: enum live_io_kind; LIVE_IO_KINDS: it is not for files.
 */
static uint32_t io_kind_of(const struct reader *r, uint32_t node,
			   const struct live_call *call)
{
	const struct profile_node *n = &r->p->nodes[node];
	const struct profile_name *name;

	if (n->kind != NODE_NAMED)
		return LIVE_IO_KINDS;
	name = &r->p->names[n->owner];
	if (name->class == LIVE_NAME_IO)
		return name->detail;
	if (name->class != LIVE_NAME_MPI || name->detail != LIVE_MPI_IO)
		return LIVE_IO_KINDS;
	if (call->sent)
		return LIVE_IO_WRITE;
	return call->received ? LIVE_IO_READ : LIVE_IO_CHANGE;
}

static void take_io_call(struct reader *r, uint32_t node, uint32_t thread,
			 const struct live_call *call)
{
	uint32_t kind = io_kind_of(r, node, call);

	if (kind >= LIVE_IO_KINDS || !call->calls)
		return;
	reader_metric(r, node, thread, METRIC_IO_CALLS, call->calls);
	reader_metric(r, node, thread, METRIC_IO_TIME, call->ns);
	reader_metric(r, node, thread, METRIC_IO_READ, call->received);
	reader_metric(r, node, thread, METRIC_IO_WRITTEN, call->sent);
	reader_metric(r, node, thread, METRIC_IO_MOST, call->max_ns);
	if (kind > LIVE_IO_WRITE) {
		reader_metric(r, node, thread, METRIC_IO_OTHERS, call->calls);
		reader_metric(r, node, thread, METRIC_IO_OTHER_TIME, call->ns);
	}
}

static uint32_t node_of_file(struct reader *r, live_ref ref)
{
	return ref ? reader_node(r, ref) : 0;
}

static void add_file_record(struct profile_file *to,
			    const struct profile_file *from)
{
	if (from->read_most_ns > to->read_most_ns)
		to->read_node = from->read_node;
	if (from->write_most_ns > to->write_most_ns)
		to->write_node = from->write_node;
	if (from->other_most_ns > to->other_most_ns)
		to->other_node = from->other_node;
#define COLUMN(type, name, help, how) COMBINE_##how(to->name, from->name);
#include "live/file.def"
#undef COLUMN
}

static live_ref take_file(struct reader *r, const void *at)
{
	struct profile *p = r->p;
	struct live_io_file f;

	memcpy(&f, at, sizeof(f));
	if (f.kind > LIVE_FILE_OTHERS) {
		r->damaged++;
		return f.next;
	}
	if (reader_grow(r, &p->files, p->file_count, sizeof(*p->files)))
		p->files[p->file_count++] = (struct profile_file){
			.path = reader_string(r, f.path),
			.kind = f.kind,
			.system = f.system,
			.block = f.block,
			.read_node = node_of_file(r, f.read_node),
			.write_node = node_of_file(r, f.write_node),
			.other_node = node_of_file(r, f.other_node),
#define COLUMN(type, name, ...) .name = f.name,
#include "live/file.def"
#undef COLUMN
		};
	return f.next;
}

static int by_file_path(const void *x, const void *y)
{
	const struct profile_file *a = x, *b = y;

	return ORDER(a->kind, b->kind) ?: strcmp(a->path, b->path);
}

/* Threads have records of their own. */
static void read_files(struct reader *r)
{
	struct profile *p = r->p;
	size_t kept = 0;

	reader_walk(r, r->header.files, sizeof(struct live_io_file), take_file);
	if (r->err || !p->file_count)
		return;
	qsort(p->files, p->file_count, sizeof(*p->files), by_file_path);
	for (size_t i = 1; i < p->file_count; i++)
		if (by_file_path(&p->files[kept], &p->files[i])) {
			p->files[++kept] = p->files[i];
		} else {
			add_file_record(&p->files[kept], &p->files[i]);
			free(p->files[i].path);
		}
	p->file_count = kept + 1;
}

const struct live_section section_files = {
	.call = take_io_call,
	.tables = read_files,
};
