/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * compress-isal.c - by Intel's ISA-L, whose level 1 is made for speed.
 *
 * The same bytes have to become the same stream, and with ISA-L 2.30 that takes
 * care: where its body meets the first byte of all, it looks for byte 2 by what
 * a register happens to hold, which is the address of the isal_zstream without
 * its last 16 bits.  So what is found depends on where malloc() put that.  The
 * first bytes of a stream are therefore given to it alone: up to BODY_LEAST go
 * to another function, which has no such fault, and the body never meets them.
 * That costs some 20 bytes for each stream.
 */
#include <isa-l/igzip_lib.h>
#include <stdbool.h>
#include <stdlib.h>

#include "profile/store/compress.h"

enum {
	BODY_LEAST = 16, /* fewer, and no more, are not the body's */
	FIRST = 8
};

struct deflate_state {
	struct isal_zstream stream;
	uint8_t level[ISAL_DEF_LVL1_DEFAULT];
};

static void start_deflating(struct deflate_state *room, void *to, size_t most,
			    const void *from)
{
	struct isal_zstream *s = &room->stream;

	isal_deflate_init(s);
	s->next_in = (uint8_t *)from;
	s->next_out = to;
	s->avail_out = (uint32_t)most;
	s->gzip_flag = IGZIP_ZLIB;
	s->level = 1;
	s->level_buf = room->level;
	s->level_buf_size = sizeof(room->level);
}

/* The next bytes of the stream; false: it has no room for them. */
static bool deflate_next_bytes(struct isal_zstream *s, size_t bytes, bool last)
{
	s->avail_in = (uint32_t)bytes;
	s->flush = last ? NO_FLUSH : SYNC_FLUSH;
	s->end_of_stream = last;
	if (isal_deflate(s) != COMP_OK || s->avail_in)
		return false;
	return !last || s->internal_state.state == ZSTATE_END;
}

size_t compress_quick(void *to, const void *from, size_t bytes)
{
	size_t most = compress_most(bytes), size = 0;
	size_t first = bytes > BODY_LEAST ? FIRST : 0;
	struct deflate_state *room = NULL;

	if (most <= UINT32_MAX)
		room = malloc(sizeof(*room));
	if (!room)
		return compress_data(to, from, bytes, 1);
	start_deflating(room, to, most, from);
	if ((!first || deflate_next_bytes(&room->stream, first, false)) &&
	    deflate_next_bytes(&room->stream, bytes - first, true))
		size = room->stream.total_out;
	free(room);
	return size ? size : compress_data(to, from, bytes, 1);
}
