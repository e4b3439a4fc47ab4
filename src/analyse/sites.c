/* SPDX-License-Identifier: BSD-3-Clause */
/* sites.c - collect the MPI metrics of the MPI nodes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/sites.h"
#include "analyse/value.h"
#include "base/err.h"
#include "base/map.h"

static double value(const struct run_metric *metric, uint32_t node)
{
	return metric ? value_node(metric, node) : 0;
}

static void add(struct site *to, const struct site *from)
{
	to->calls += from->calls;
	to->seconds += from->seconds;
	to->sent += from->sent;
	to->received += from->received;
	to->key += from->key;
}

static int compare(const void *a, const void *b)
{
	const struct site *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? 1 : -1;
	return x->path < y->path ? -1 : x->path > y->path;
}

/* Sites without a call stand for samples inside MPI that made no new one. */
static int collect(struct sites *sites, const struct paths *paths,
		   const struct run_metric *by, bool by_function)
{
	const struct run *run = paths->run;
	const struct run_metric *calls = run_metric(run, "mpi.calls");
	const struct run_metric *seconds = run_metric(run, "mpi.time");
	const struct run_metric *sent = run_metric(run, "mpi.bytes.sent");
	const struct run_metric *received =
		run_metric(run, "mpi.bytes.received");
	struct map map = { 0 };
	uint32_t s;

	for (uint32_t i = 0; i < run->node_count; i++) {
		const struct run_node *n = &run->nodes[i];
		struct site one = { .path = paths->of[i],
				    .function = n->function };

		if (n->kind != RUN_MPI)
			continue;
		one.calls = value(calls, i);
		one.seconds = value(seconds, i);
		one.sent = value(sent, i);
		one.received = value(received, i);
		one.key = value(by, i);
		s = map_put(&map, by_function ? n->function : paths->of[i], 0,
			    (uint32_t)sites->count);
		if (s == MAP_NONE) {
			map_fini(&map);
			return fail(-ENOMEM, "out of memory");
		}
		if (s == sites->count)
			sites->at[sites->count++] =
				(struct site){ .path = one.path,
					       .function = one.function };
		add(&sites->at[s], &one);
		add(&sites->total, &one);
	}
	map_fini(&map);
	return 0;
}

int sites_init(struct sites *sites, const struct paths *paths,
	       const struct run_metric *by, bool by_function)
{
	int err;

	*sites = (struct sites){ .at = calloc(paths->run->node_count + 1,
					      sizeof(*sites->at)) };
	if (!sites->at)
		return fail(-ENOMEM, "out of memory");
	err = collect(sites, paths, by, by_function);
	if (err)
		sites_fini(sites);
	else
		qsort(sites->at, sites->count, sizeof(*sites->at), compare);
	return err;
}

void sites_fini(struct sites *sites)
{
	free(sites->at);
	*sites = (struct sites){ 0 };
}

bool sites_is_init(const struct run *run, uint32_t node)
{
	const char *name = str_at(&run->strings, run->nodes[node].function);

	return !strcmp(name, "MPI_Init") || !strcmp(name, "MPI_Init_thread");
}

double site_mean_size(const struct site *site)
{
	double bytes =
		site->sent > site->received ? site->sent : site->received;

	return value_ratio(bytes, site->calls);
}
