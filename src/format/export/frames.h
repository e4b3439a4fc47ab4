/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * frames.h - the frames of a context, from the innermost to the outermost, as
 * tools for stacks have them: a function, and the line in it that was sampled
 * or that calls the frame before.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run/run.h"

struct frame {
	uint32_t node;       /* the function's */
	uint32_t file, line; /* a string, 0: not known */
};

/*
 * All frames of a node, from the innermost on, into to[], which has room for as
 * many as the run has nodes; their number, at least 1.
 */
size_t frames_of_node(const struct run *run, uint32_t node, struct frame *to);

/* It is compiled into its caller. */
static inline bool frame_is_inlined(const struct run *run,
				    const struct frame *frame)
{
	return run->nodes[frame->node].flags & RUN_INLINED;
}
