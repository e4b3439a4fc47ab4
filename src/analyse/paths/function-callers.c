/* SPDX-License-Identifier: BSD-3-Clause */
/* function-callers.c - see function-callers.h. */
#include "analyse/paths/function-callers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/interpreter.h"
#include "base/array.h"
#include "base/err.h"
#include "base/str.h"

#define ALL    0.95 /* of its time: the callers of the rest are not said */
#define FRAMES 3

/* All without a name of a module of Python's read the same, and so do callers
 * in the interpreter. */
static uint32_t frame_row(struct function_callers *to, uint32_t below,
			  uint32_t path)
{
	const struct run *run = to->paths->run;
	uint32_t node = to->paths->at[path].node, row;
	uint64_t function = run->nodes[node].function;
	uint64_t module = run->nodes[node].module;

	if (below && interpreter_owns(run, node))
		module = function = UINT32_MAX;
	else if (interpreter_is_unnamed(run, node))
		function = 0;
	row = map_put(&to->rows, below, function << 32 | module,
		      (uint32_t)to->count);
	if (row == to->count &&
	    !array_append(&to->at, &to->count, &to->room, sizeof(*to->at),
			  &(struct function_caller){ .parent = below }))
		return MAP_NONE;
	return row;
}

uint32_t function_callers_add(struct function_callers *to, uint32_t path,
			      double seconds)
{
	uint32_t row = 0, function = 0, frame = path;

	if (!to->count &&
	    !array_append(&to->at, &to->count, &to->room, sizeof(*to->at),
			  &(struct function_caller){ 0 }))
		return MAP_NONE;
	for (int i = 0; i < FRAMES && frame; i++) {
		row = frame_row(to, row, frame);
		if (row == MAP_NONE)
			return MAP_NONE;
		to->at[row].seconds += seconds;
		if (seconds > to->at[row].most) {
			to->at[row].most = seconds;
			to->at[row].path = path;
		}
		function = function ? function : row;
		frame = paths_caller(to->paths, frame);
	}
	return function;
}

void function_callers_fini(struct function_callers *callers)
{
	map_fini(&callers->rows);
	free(callers->at);
}

/* The caller with the most of it; 0: none. */
static uint32_t main_caller(const struct function_callers *c, uint32_t row)
{
	uint32_t best = 0;

	for (uint32_t i = row + 1; i < c->count; i++)
		if (c->at[i].parent == row &&
		    (!best || c->at[i].seconds > c->at[best].seconds))
			best = i;
	return best;
}

char *function_callers_text(const struct function_callers *callers,
			    uint32_t function)
{
	const struct function_caller *at = callers->at;
	uint32_t row = function, next;
	unsigned int frames = 1, sure = 1;
	char *all, *part, *text = NULL;

	while ((next = main_caller(callers, row)) &&
	       (frames == sure || at[next].seconds >= at[row].seconds / 2)) {
		row = next;
		frames++;
		if (at[row].seconds >= ALL * at[function].seconds)
			sure = frames;
	}
	all = paths_short(callers->paths, at[row].path, frames);
	if (frames == sure)
		return all;
	part = paths_short(callers->paths, at[row].path, sure);
	if (all && part)
		text = str_format("%s (%.0f %% of that from %s)", part,
				  100 * at[row].seconds / at[function].seconds,
				  all + strlen(part) + strlen(PATHS_ARROW));
	free(part);
	free(all);
	return text;
}

int function_below(char **text, double *has, const struct paths *paths,
		   uint32_t path, const double *own, double least)
{
	struct function_callers callers = { .paths = paths };
	uint32_t best = 0;
	int err = 0;

	*text = NULL;
	*has = 0;
	for (uint32_t p = path + 1; p < paths->at[path].end && !err; p++)
		if (own[p] > 0 &&
		    function_callers_add(&callers, p, own[p]) == MAP_NONE)
			err = no_memory();
	for (uint32_t i = 1; i < callers.count; i++)
		if (!callers.at[i].parent &&
		    (!best || callers.at[i].seconds > callers.at[best].seconds))
			best = i;
	if (best && !err && callers.at[best].seconds >= least) {
		*has = callers.at[best].seconds;
		*text = function_callers_text(&callers, best);
		err = *text ? 0 : -ENOMEM;
	}
	function_callers_fini(&callers);
	return err;
}
