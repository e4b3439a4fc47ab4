/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * node-file.h - node-HOST.h5: the rank files of one host, one behind the other.
 *
 * It begins as a small HDF5 file that says what it is.  Behind NODE_BEGIN come
 * a head, which says whose file it is, and records: a name, and a rank file as
 * it would have been.  copse-format(5) has the layout.
 *
 * Failure    A record counts once its header is there, which is written last.
 *            So an end that is cut off takes nothing with it that was complete,
 *            and the next one to add overwrites it.
 * Writers    One at a time, which is the caller's to see to.
 * Foreign    All that is read is checked against the file's length.
 */
#pragma once

#include <stddef.h>

#include "profile/store/extent.h"

enum {
	NODE_BEGIN = 4096,
	NODE_NAME = 48 /* bytes of a name, and of an owner, with the last 0 */
};

struct node_member {
	char name[NODE_NAME]; /* "rank-3.h5" */
	struct file_extent piece;
};

/*
 * What is in it, in its order, by malloc; what is behind the last record, if
 * anything, is a member without a name.  0; -EINVAL: it is no such file;
 * or -errno.  No reason is given.
 */
int node_file_list(const char *path, struct node_member **to, size_t *count);

/*
 * A new one (`dir` as regular.h has it), of that owner, complete under its name
 * at once; `scratch` is a path that may be written to meanwhile, as is
 * PATH.new.  -EEXIST: there is one; or -errno.
 */
int node_file_create(int dir, const char *path, const char *owner,
		     const char *scratch);

/*
 * Add `size` bytes under the first of `names`, which NULL ends, that is not
 * taken.  0; -EEXIST: it is another owner's, or the names are taken; or -errno.
 */
int node_file_add(int dir, const char *path, const char *owner,
		  const char *const names[], const void *bytes, size_t size);
