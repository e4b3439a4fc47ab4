/* SPDX-License-Identifier: BSD-3-Clause */
/* live-lines.c - what a function calls from several lines, as one context. */
#include <stdlib.h>
#include <string.h>

#include "profile/live/live-reader.h"
#include "tests/lib/test.h"

enum {
	CALLER = 1, /* it has the loop: three lines, 2 to 4, … */
	LINES = 3,  /* … from which a function is called, … */
	SHARE = 5,  /* … 5 to 7, that calls MPI in one line: 8 to 10 */
	BEGIN = SHARE + LINES,
	NODES = BEGIN + LINES
};

static struct profile_node nodes[NODES];
static struct profile program;
static struct profile_step found[STEPS_OF_LINES];

/* The loop calls from lines, in that order: "0120…". */
static size_t lines_found(const char *order)
{
	struct reader r = { .p = &program };
	size_t length = strlen(order), count = 0, kept;

	program = (struct profile){ .nodes = nodes, .node_count = NODES };
	nodes[CALLER] = (struct profile_node){ 0, NODE_CALL, 0, 100 };
	program.stamps = calloc(length, sizeof(*program.stamps));
	program.steps = calloc(LINES, sizeof(*program.steps));
	for (uint32_t i = 0; i < LINES; i++) {
		struct profile_step *step = &program.steps[i];

		nodes[CALLER + 1 + i] =
			(struct profile_node){ CALLER, NODE_CALL, 0,
					       200 + 10 * i };
		nodes[SHARE + i] = (struct profile_node){ CALLER + 1 + i,
							  NODE_CALL, 0, 300 };
		nodes[BEGIN + i] =
			(struct profile_node){ SHARE + i, NODE_NAMED, 0, 0 };
		*step = (struct profile_step){ .node = BEGIN + i,
					       .stride = 1,
					       .first = (uint32_t)count };
		for (size_t k = 0; k < length; k++)
			if (order[k] == '0' + (int)i)
				program.stamps[count++].ns = 1000 * (k + 1);
		step->count = (uint32_t)count - step->first;
		step->calls = step->count;
	}
	program.step_count = LINES;
	program.stamp_count = count;
	/* It grows as a reader's, by doubling. */
	program.stamps =
		realloc(program.stamps, 4 * length * sizeof(*program.stamps));
	kept = reader_lines(&r, found);
	for (size_t i = 1; kept && i < found->count; i++)
		if (program.stamps[found->first + i].ns <=
		    program.stamps[found->first + i - 1].ns)
			kept = 0;
	free(program.steps);
	free(program.stamps);
	return kept;
}

TEST(calls_from_lines_in_turns_are_one_context)
{
	uint32_t lines;

	CHECK(lines_found("0121212"), ==, 1);
	CHECK(found->calls, ==, 7);
	CHECK(found->count, ==, 7);
	CHECK(found->node, ==, BEGIN);
	lines = found->lines;
	CHECK(lines_found("0121212"), ==, 1);
	CHECK(found->lines, ==, lines);
	CHECK(lines_found("0212121"), ==, 1);
	CHECK(found->lines, !=, lines);
}

TEST(calls_from_one_line_after_another_are_not)
{
	CHECK(!lines_found("00000111112222"));
	/* An inner loop; and each line but once. */
	CHECK(!lines_found("000000111111000000111111000000"));
	CHECK(!lines_found("012"));
}
