/* SPDX-License-Identifier: BSD-3-Clause */
/* frames.c - a node's line is its caller's, a frame's its own. */
#include "format/export/frames.h"

/* The innermost of a node; of the root, the root itself. */
static struct frame frame_innermost(const struct run *run, uint32_t node)
{
	const struct run_node *n = &run->nodes[node];
	struct frame frame = { .node = run_frame(run, node) };

	if (run_is_part(n)) {
		frame.file = n->file;
		frame.line = n->line;
	}
	return frame;
}

/* The frame that called this one; false, and unchanged: there is none. */
static bool frame_caller(const struct run *run, struct frame *frame)
{
	const struct run_node *n = &run->nodes[frame->node];
	uint32_t above = run_frame(run, n->parent);

	if (!above)
		return false;
	*frame = (struct frame){ above, n->file, n->line };
	return true;
}

size_t frames_of_node(const struct run *run, uint32_t node, struct frame *to)
{
	size_t count = 1;

	to[0] = frame_innermost(run, node);
	for (;; count++) {
		struct frame next = to[count - 1];

		if (!frame_caller(run, &next))
			return count;
		to[count] = next;
	}
}
