/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * node-output.h - all `copse run`s of one host put their profiles into one
 * file, node-HOST.h5: each when its program has ended, one at a time.
 *
 * They take turns by the host's lock (host-lock.h).  The file holds the owner
 * of the lock, so another host of the same name gets node-HOST-2.h5.
 */
#pragma once

#include <stdbool.h>

struct output;

enum node_when {
	NODE_NEVER,
	NODE_ALWAYS,
	NODE_MANY /* ranks: more than NODE_RANKS */
};

enum {
	NODE_RANKS = 256
};

/* Whether a job of that size uses a node file. */
static inline bool node_output_wanted(enum node_when when, int size)
{
	return when == NODE_ALWAYS || (when == NODE_MANY && size > NODE_RANKS);
}

/*
 * Move the rank file at `from` into the host's file in the output directory,
 * under the first of `names` that is free there (NULL ends them).  `scratch` is
 * a directory for temporary files.  -errno with a reason; `from` then stays.
 */
int node_output_add(const struct output *output, const char *host,
		    const char *scratch, const char *from,
		    const char *const names[]);
