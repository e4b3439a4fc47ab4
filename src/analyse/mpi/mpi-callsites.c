/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi-callsites.c - collect the MPI metrics of the MPI nodes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/mpi/mpi-callsites.h"
#include "analyse/base/value.h"
#include "base/err.h"
#include "base/map.h"
#include "base/comparison.h"

static double call_site_value(const struct run *run, const char *metric,
			      uint32_t node)
{
	const struct run_metric *m = run_metric(run, metric);

	return m ? value_node(m, node) : 0;
}

/* The least, or the largest, of all ranks; 0: there is none. */
static double extreme_of_site(const struct run *run, const char *metric,
			      uint32_t node)
{
	const struct run_metric *m = run_metric(run, metric);

	return m ? value_extreme(m, node) : 0;
}

static int by_call_site(const void *key, const void *site)
{
	const uint32_t *node = key;
	const struct run_site *s = site;

	return ORDER(*node, s->node);
}

static void find_comm(const struct run *run, uint32_t node,
		      struct call_site *to)
{
	const struct run_calls *c = &run->calls;
	const struct run_site *s = NULL;

	if (c->site_count)
		s = bsearch(&node, c->sites, c->site_count, sizeof(*s),
			    by_call_site);
	to->comm = s ? s->comm : RUN_NO_COMM;
	to->root = s ? s->root : -1;
}

/* MPI_Bcast, MPI_Ibcast, MPI_Bcast_c, … */
static bool is_broadcast(const struct run *run, uint32_t node)
{
	return strcasestr(str_at(&run->strings, run->nodes[node].function),
			  "bcast");
}

static void fill_call_site(const struct run *run, uint32_t node,
			   const struct run_metric *by, struct call_site *to)
{
	to->calls = call_site_value(run, "mpi.calls", node);
	to->seconds = call_site_value(run, "mpi.time", node);
	to->sent = call_site_value(run, "mpi.bytes.sent", node);
	to->received = call_site_value(run, "mpi.bytes.received", node);
	to->moved = call_site_value(run, "mpi.bytes.moved", node);
	if (to->moved <= 0)
		to->moved = is_broadcast(run, node)
				    ? to->sent + to->received
				    : fmax(to->sent, to->received);
	to->min = extreme_of_site(run, "mpi.time.min", node);
	to->max = extreme_of_site(run, "mpi.time.max", node);
	to->requests = call_site_value(run, "mpi.requests", node);
	to->open = call_site_value(run, "mpi.requests.open", node);
	to->overlap = call_site_value(run, "mpi.requests.overlap", node);
	if (by)
		to->key = by->merge == MERGE_SUM
				  ? value_node(by, node)
				  : extreme_of_site(run, by->name, node);
	find_comm(run, node, to);
}

/* extremes: the largest key stays, instead of their sum. */
static void add_call_site(struct call_site *to, const struct call_site *from,
			  bool extremes)
{
	to->calls += from->calls;
	to->seconds += from->seconds;
	to->sent += from->sent;
	to->received += from->received;
	to->moved += from->moved;
	to->requests += from->requests;
	to->open += from->open;
	to->overlap += from->overlap;
	if (!extremes)
		to->key += from->key;
	else if (from->key > to->key)
		to->key = from->key;
	if (from->min > 0 && (to->min <= 0 || from->min < to->min))
		to->min = from->min;
	if (from->max > to->max)
		to->max = from->max;
	if (from->calls <= 0)
		return;
	if (to->comm != from->comm)
		to->comm = RUN_SEVERAL_COMMS;
	if (to->root != from->root)
		to->root = -2;
}

ORDER_BY(by_site_key, struct call_site, DESC(key) ?: ASC(path))

/* Sites without a call stand for samples inside MPI that made no new one. */
static int collect_call_sites(struct call_sites *sites,
			      const struct paths *paths,
			      const struct run_metric *by, bool by_function)
{
	const struct run *run = paths->run;
	struct map map = { 0 };
	uint32_t s;

	for (uint32_t i = 0; i < run->node_count; i++) {
		const struct run_node *n = &run->nodes[i];
		struct call_site one = { .path = paths->of[i],
					 .function = n->function,
					 .class = n->detail };

		if (n->kind != RUN_MPI)
			continue;
		fill_call_site(run, i, by, &one);
		s = map_put(&map, by_function ? n->function : paths->of[i], 0,
			    (uint32_t)sites->count);
		if (s == MAP_NONE) {
			map_fini(&map);
			return no_memory();
		}
		if (s == sites->count)
			sites->at[sites->count++] =
				(struct call_site){ .path = one.path,
						    .function = one.function,
						    .comm = one.comm,
						    .root = one.root,
						    .class = one.class };
		add_call_site(&sites->at[s], &one,
			      by && by->merge != MERGE_SUM);
		add_call_site(&sites->total, &one,
			      by && by->merge != MERGE_SUM);
	}
	map_fini(&map);
	return 0;
}

int callsites_init(struct call_sites *sites, const struct paths *paths,
		   const struct run_metric *by, bool by_function)
{
	int err;

	*sites = (struct call_sites){ .at = calloc(paths->run->node_count + 1,
						   sizeof(*sites->at)) };
	if (!sites->at)
		return no_memory();
	err = collect_call_sites(sites, paths, by, by_function);
	if (err)
		callsites_fini(sites);
	else
		qsort(sites->at, sites->count, sizeof(*sites->at), by_site_key);
	return err;
}

void callsites_fini(struct call_sites *sites)
{
	free(sites->at);
	*sites = (struct call_sites){ 0 };
}

double callsite_mean_size(const struct call_site *site)
{
	return value_ratio(site->moved, site->calls);
}

char *callsite_comm_text(const struct run *run, uint32_t comm)
{
	const struct run_comm *c;
	const char *name;

	if (comm == RUN_NO_COMM)
		return NULL;
	if (comm == RUN_SEVERAL_COMMS)
		return strdup("several");
	c = &run->calls.comms[comm];
	name = str_at(&run->strings, c->name);
	if (*name)
		return strdup(name);
	if (c->size == run->world)
		return strdup("all ranks");
	return str_format("%u from rank %u", c->size, c->first);
}
