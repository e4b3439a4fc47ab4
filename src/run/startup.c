/* SPDX-License-Identifier: BSD-3-Clause */
/* startup.c - see startup.h. */
#include "run/startup.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/gpu-calls.h"
#include "run/call-paths.h"

#define FIRST_CALL 5e7 /* ns: to set CUDA up takes as long */
#define MOST_OF_IT 0.5 /* of its place's time, in one call */

const char *const startup_names[] = {
	[STARTUP_NONE] = "",
#define STARTUP(id, name) [STARTUP_##id] = (name),
#include "run/startup.def"
#undef STARTUP
};

static const struct begin_row {
	enum startup_kind kind;
	const char *function, *file;
} begin_rows[] = {
#define BEGINS(id, function, file) { STARTUP_##id, function, file },
#include "run/startup.def"
#undef BEGINS
};

#define BEGIN_ROWS (sizeof(begin_rows) / sizeof(*begin_rows))

static bool may_begin(const char *name)
{
	for (size_t i = 0; i < BEGIN_ROWS; i++)
		if (!strncmp(name, begin_rows[i].function,
			     strlen(begin_rows[i].function)))
			return true;
	return false;
}

static bool is_begun_by(const struct run *run, const struct run_node *n,
			const struct begin_row *row)
{
	const char *name = str_at(&run->strings, n->function);

	if (strncmp(name, row->function, strlen(row->function)) != 0)
		return false;
	return !*row->file ||
	       ((n->flags & RUN_PYTHON) &&
		strstr(str_at(&run->strings, n->module), row->file));
}

/* What may take long each time it is called. */
static bool may_be_long(const char *name)
{
	static const char *const verbs[] = { "Memcpy", "Memset", "Free",
					     "MemFree" };

	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
		if (!strncmp(gpu_call_verb(name), verbs[i], strlen(verbs[i])))
			return true;
	return gpu_call_waits(name) || gpu_call_launches_kernel(name) ||
	       gpu_call_launches_graph(name);
}

/* The first call of CUDA sets it up, whichever that is. */
static bool is_first_call(const struct run *run, uint32_t node)
{
	const struct run_metric *time = run_metric(run, "gpu.calls.time");
	const struct run_metric *most = run_metric(run, "gpu.calls.max");
	double processes = (double)run->gpu.rank_count;
	double longest = most ? (double)most->stats[node].most : 0;

	if (run->nodes[node].kind != RUN_GPU_CALL || !time ||
	    longest < FIRST_CALL ||
	    may_be_long(str_at(&run->strings, run->nodes[node].function)))
		return false;
	return longest * (processes > 1 ? processes : 1) >=
	       MOST_OF_IT * time->stats[node].sum;
}

enum startup_kind startup_of_node(const struct run *run, uint32_t node)
{
	const struct run_node *n = &run->nodes[node];
	bool named = (n->kind == RUN_FUNCTION || n->kind == RUN_GPU_CALL ||
		      n->kind == RUN_PHASE) &&
		     paths_ask_name(run, node, ASK_BEGINS, may_begin);

	for (size_t i = 0; named && i < BEGIN_ROWS; i++)
		if (is_begun_by(run, n, &begin_rows[i]))
			return begin_rows[i].kind;
	return is_first_call(run, node) ? STARTUP_CUDA : STARTUP_NONE;
}

uint8_t *startup_nodes(const struct run *run)
{
	uint8_t *kinds = calloc(run->node_count + 1, sizeof(*kinds));

	if (!kinds)
		no_memory();
	for (uint32_t n = 1; kinds && n < run->node_count; n++) {
		kinds[n] = kinds[run->nodes[n].parent];
		if (kinds[n] == STARTUP_NONE)
			kinds[n] = (uint8_t)startup_of_node(run, n);
	}
	return kinds;
}
