/* SPDX-License-Identifier: BSD-3-Clause */
/* content.h - reads the content of a live file (livedir.h). */
#pragma once

#include <errno.h>
#include <stddef.h>

#include "launch/livedir.h"

struct harvest;
struct live_header;

/* The part of a live file that is in use. */
struct content {
	struct live_file file;
	struct live_header *live; /* by malloc; NULL: not read */
	size_t size;
	int error; /* why it was not read */
};

/* The process made the live file, but ended before it wrote to it. */
enum {
	CONTENT_EMPTY = -ENODATA
};

/* Read the file that c->file names: 0, CONTENT_EMPTY, or -errno with a reason.
 */
int content_read(struct content *c, const char *folder);

/* The size of the part in use: the rest was never allocated. */
size_t content_used(int fd);

/* Add what the process could not know; may move the contents. */
void content_stamp(struct content *c, const struct harvest *h);
