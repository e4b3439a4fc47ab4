/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unnamed.c - what is in a function, or in MPI that it called, is the
 * function's; by the file that it is in.
 */
#include <stdlib.h>
#include <string.h>

#include "analyse/base/interpreter.h"
#include "analyse/base/phrase.h"
#include "analyse/paths/path-findings.h"
#include "analyse/base/value.h"

#define MUCH 0.1 /* of the metric: worth a note */

/* What MPI is for, when a module of Python's called it, is known. */
static uint32_t owner_of_call(const struct run *run, const uint32_t *owner,
			      uint32_t node)
{
	uint32_t at = owner[run->nodes[node].parent];

	while (at && run->nodes[node].kind == RUN_MPI &&
	       interpreter_is_unnamed(run, at))
		at = owner[run->nodes[at].parent];
	return at;
}

/* Whose function each node is in: itself, or what is above; 0: nobody's. */
static void find_owners(const struct run *run, uint32_t *owner)
{
	for (uint32_t i = 1; i < run->node_count; i++) {
		const struct run_node *n = &run->nodes[i];

		owner[i] = n->kind == RUN_FUNCTION || n->kind == RUN_OPENMP ||
					   n->kind == RUN_LOCK
				   ? i
				   : owner_of_call(run, owner, i);
	}
}

/* The file with most of it, the sum over all files, and its part. */
static const char *worst_file(const struct run *run,
			      const struct run_metric *metric,
			      const uint32_t *owner, double *by_file,
			      double *unnamed, double *most)
{
	uint32_t worst = 0;

	*unnamed = 0;
	for (uint32_t i = 0; i < run->node_count; i++) {
		const struct run_node *n = &run->nodes[owner[i]];
		double value = value_node(metric, i);

		/* Code of no file, as a compiler at run time makes it, has
		   none to be found. */
		if (!(n->flags & RUN_UNNAMED) || !n->module)
			continue;
		*unnamed += value;
		by_file[n->module] += value;
		if (by_file[n->module] > by_file[worst])
			worst = n->module;
	}
	*most = by_file[worst];
	return str_at(&run->strings, worst);
}

static double total_of_run(const struct run *run,
			   const struct run_metric *metric)
{
	double sum = 0;

	for (size_t i = 0; i < run->node_count; i++)
		sum += value_node(metric, i);
	return sum;
}

void unnamed_say(struct report *report, const struct run *run,
		 const struct run_metric *metric)
{
	uint32_t *owner = calloc(run->node_count + 1, sizeof(*owner));
	double *by_file = calloc(run->strings.count + 1, sizeof(*by_file));
	double all = metric ? total_of_run(run, metric) : 0, unnamed, most;
	const char *file;

	report->failed |= !owner || !by_file;
	if (owner && by_file && all > 0) {
		find_owners(run, owner);
		file = worst_file(run, metric, owner, by_file, &unnamed, &most);
		if (unnamed >= MUCH * all)
			report_note(
				report,
				"%.0f %% of %s is in functions without a "
				"name, %s in %s: its debug package, debuginfod "
				"or a build with symbols has them (man "
				"copse-merge, Names).",
				100 * unnamed / all, metric->name,
				phrase_most(most / unnamed), str_base(file));
	}
	free(by_file);
	free(owner);
}

/* Lines are known there; or no names either, which unnamed_say() reports. */
static bool is_built_plainly(const struct run *run, uint32_t file)
{
	for (size_t i = 1; i < run->node_count; i++) {
		const struct run_node *n = &run->nodes[i];

		/* A node has the line of its call, which is in its parent. */
		if ((n->file && run->nodes[n->parent].module == file) ||
		    (n->module == file && n->flags & RUN_UNNAMED))
			return false;
	}
	return file;
}

/* The file that main() is in; 0: it is not known. */
static uint32_t file_of_main(const struct run *run)
{
	uint32_t name = str_find(&run->strings, "main");

	for (size_t i = 1; i < run->node_count; i++)
		if (run->nodes[i].function == name &&
		    run->nodes[i].kind == RUN_FUNCTION)
			return run->nodes[i].module;
	return 0;
}

void unnamed_say_lines(struct report *report, const struct run *run,
		       const struct run_metric *metric)
{
	uint32_t file = file_of_main(run);
	bool plain = metric && is_built_plainly(run, file);
	double all = plain ? total_of_run(run, metric) : 0, of = 0;

	for (size_t i = 1; i < run->node_count && all > 0; i++)
		if (run->nodes[i].module == file)
			of += value_node(metric, i);
	if (of < MUCH * all || all <= 0)
		return;
	report_note(report,
		    "%s was built without -g: with it reports also have source "
		    "lines and inlined functions (add -g to the compiler's "
		    "options; it does not make a program slower).",
		    str_base(str_at(&run->strings, file)));
}
