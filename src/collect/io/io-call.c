/* SPDX-License-Identifier: BSD-3-Clause */
/* io-call.c - see io-call.h. */
#include "collect/io/io-call.h"

#include "base/hidden.h"
#include "collect/collect.h"
#include "collect/io/io-files.h"
#include "collect/io/io-passed.h"
#include "collect/regions/region-handler.h"
#include "collect/registry.h"
#include "collect/thread.h"

PUBLIC bool copse_io_enter(struct io_call *c, int fd, struct region_name *name,
			   const uintptr_t *frame)
{
	c->file = NULL;
	if (!thread_self() || collect_paused())
		return false;
	if (fd != IO_BY_PATH) {
		c->file = io_file_of(fd);
		if (!c->file)
			return false;
	}
	c->fd = fd;
	c->generation = registry_generation();
	c->stream = false;
	region_from(&c->region, name, frame);
	copse_region_enter(&c->region);
	c->start = c->region.nested ? timestamp_read() : 0;
	return true;
}

/*
 * What the call took, and when it ended.  False: the thread is in a sandbox
 * now, or this is a child that was forked in a handler within the call, and
 * what was found was its parent's.
 */
static bool leave_io(struct io_call *c, const struct region_values *values,
		     struct io_piece *piece)
{
	struct thread *t = thread_self();
	uint64_t end = timestamp_read();

	if (!t)
		return false;
	if (c->start) {
		piece->ns = ticks_took(&t->ticks, end - c->start);
	} else {
		c->region.end = end;
		copse_region_leave(&c->region, values);
		piece->ns = c->region.ns;
	}
	piece->end_ns = ticks_at(&t->ticks, end);
	piece->node =
		c->start ? t->region ? t->region->node : 0 : c->region.node;
	return c->generation == registry_generation();
}

static struct io_piece piece_of(const struct io_call *c, int64_t bytes,
				int64_t at)
{
	return (struct io_piece){
		.kind = (enum live_io_kind)c->region.name->detail,
		.fd = c->fd,
		.bytes = bytes,
		.at = at,
		.stream = c->stream,
	};
}

PUBLIC void copse_io_moved(struct io_call *c, int64_t bytes, int64_t at)
{
	struct io_piece piece = piece_of(c, bytes, at);
	uint64_t moved = bytes > 0 ? (uint64_t)bytes : 0;
	bool writes = piece.kind == LIVE_IO_WRITE;
	struct region_values values = {
		.sent = writes ? moved : 0,
		.received = writes ? 0 : moved,
		.root = LIVE_NO_ROOT,
	};

	if (leave_io(c, &values, &piece))
		io_file_count(c->file, &piece);
}

/* False: as leave_io(). */
static bool is_done(struct io_call *c, const char *path, bool failed)
{
	static const struct region_values none = { .root = LIVE_NO_ROOT };
	struct io_piece piece = piece_of(c, failed ? -1 : 0, 0);
	bool good = leave_io(c, &none, &piece);

	if (good)
		io_file_count(path ? io_file_directory(path) : c->file, &piece);
	return good;
}

PUBLIC void copse_io_done(struct io_call *c, bool failed)
{
	is_done(c, NULL, failed);
}

PUBLIC void copse_io_by_path(struct io_call *c, const char *path, bool failed)
{
	is_done(c, path, failed);
}

/* Once more for the file itself: what its directory has is not in it. */
PUBLIC void copse_io_opened(struct io_call *c, int fd, const char *path)
{
	if (is_done(c, path, fd < 0) && fd >= 0)
		io_file_opened(fd, path);
}

PUBLIC void copse_io_passed(const struct region_name *name, int64_t bytes)
{
	if (bytes > 0 && !collect_paused())
		io_passed_bytes(name->detail == LIVE_IO_WRITE, (uint64_t)bytes);
}

PUBLIC void copse_io_unseen(bool uring)
{
	io_passed_way(uring);
}

PUBLIC void copse_io_forget(unsigned first, unsigned last)
{
	io_file_forget(first, last);
}

PUBLIC void copse_io_seek(int fd, int64_t position)
{
	io_file_seek(fd, position);
}

PUBLIC void copse_io_moved_directory(void)
{
	io_file_moved();
}

PUBLIC void copse_io_copied(struct io_call *c, int64_t at, int to,
			    int64_t to_at, int64_t bytes)
{
	struct io_piece piece = piece_of(c, bytes, at);
	uint64_t moved = bytes > 0 ? (uint64_t)bytes : 0;
	struct live_io_file *target = io_file_of(to);
	struct region_values values = {
		.sent = target ? moved : 0,
		.received = c->file ? moved : 0,
		.root = LIVE_NO_ROOT,
	};

	if (!target)
		copse_io_passed(c->region.name, bytes);
	if (!leave_io(c, &values, &piece))
		return;
	piece.kind = LIVE_IO_READ;
	io_file_count(c->file, &piece);
	piece.kind = LIVE_IO_WRITE;
	piece.fd = to;
	piece.at = to_at;
	io_file_count(target, &piece);
}
