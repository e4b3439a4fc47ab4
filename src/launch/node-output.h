/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * node-output.h - the `copse run`s of one host put their profiles into one
 * file, node-HOST.h5, each when its program has ended, one after the other.
 *
 * They take turns at their host's lock (host-lock.h), whose owner is told in
 * the file: another host of the same name gets node-HOST-2.h5.
 */
#ifndef LAUNCH_NODE_OUTPUT_H
#define LAUNCH_NODE_OUTPUT_H

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

/* Whether a job of that size uses one. */
static inline bool node_output_wanted(enum node_when when, int size)
{
	return when == NODE_ALWAYS || (when == NODE_MANY && size > NODE_RANKS);
}

/*
 * Add the file at `from`, which is then removed, to the host's file in
 * that directory, under the first of `names` that is free there (NULL ends
 * them).  `scratch` is a directory for what is only needed meanwhile.  0, or
 * -errno with a reason: `from` is still there.
 */
int node_output_add(const struct output *output, const char *host,
		    const char *scratch, const char *from,
		    const char *const names[]);

#endif
