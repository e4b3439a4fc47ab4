/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * squeeze-isal.c - by Intel's ISA-L, whose level 1 is made for speed.  It may
 * begin with what it finds in its room, where the same bytes then become
 * another stream, some larger: so that is empty each time.
 */
#include <isa-l/igzip_lib.h>
#include <stdlib.h>

#include "profile/squeeze.h"

struct room {
	struct isal_zstream stream;
	uint8_t level[ISAL_DEF_LVL1_DEFAULT];
};

size_t squeeze_quick(void *to, const void *from, size_t bytes)
{
	size_t most = squeeze_most(bytes), size = 0;
	struct room *room = NULL;

	if (most <= UINT32_MAX)
		room = calloc(1, sizeof(*room));
	if (!room)
		return squeeze(to, from, bytes, 1);
	isal_deflate_stateless_init(&room->stream);
	room->stream.next_in = (uint8_t *)from;
	room->stream.avail_in = (uint32_t)bytes;
	room->stream.next_out = to;
	room->stream.avail_out = (uint32_t)most;
	room->stream.end_of_stream = 1;
	room->stream.gzip_flag = IGZIP_ZLIB;
	room->stream.level = 1;
	room->stream.level_buf = room->level;
	room->stream.level_buf_size = sizeof(room->level);
	if (isal_deflate_stateless(&room->stream) == COMP_OK)
		size = room->stream.total_out;
	free(room);
	return size ? size : squeeze(to, from, bytes, 1);
}
