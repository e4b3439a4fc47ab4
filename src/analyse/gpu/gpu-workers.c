/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-workers.c - see gpu-workers.h. */
#include "analyse/gpu/gpu-workers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/phrase.h"
#include "analyse/base/value.h"
#include "analyse/gpu/host-parts.h"
#include "base/err.h"
#include "base/map.h"
#include "base/str.h"
#include "live/layout.h"
#include "run/startup.h"
#include "run/values.h"

#define FEW 0.2 /* of the CPU time of the one with most */

enum {
	GENERATIONS = 4 /* a server of forks may stand between */
};

/* By process: it used a GPU. */
static void find_users(bool *uses, const struct run *run)
{
	for (size_t i = 0; i < run->gpu.rank_count; i++)
		uses[run->gpu.ranks[i].rank] = true;
}

static bool is_below_user(const struct run *run, const struct map *map,
			  const bool *uses, uint32_t process)
{
	for (int i = 0; i < GENERATIONS; i++) {
		const struct run_rank *r = &run->ranks[process];

		process = r->ppid ? map_get(map, r->ppid, r->host) : MAP_NONE;
		if (process == MAP_NONE)
			return false;
		if (uses[process])
			return true;
	}
	return false;
}

/* One process may have run several programs: that with GPUs is meant. */
static bool put_worker_processes(struct map *map, const struct run *run,
				 const bool *uses)
{
	bool ok = true;

	for (int with = 1; with >= 0; with--)
		for (uint32_t i = 0; i < run->rank_count && ok; i++)
			if (uses[i] == (bool)with)
				ok = map_put(map, run->ranks[i].pid,
					     run->ranks[i].host, i) != MAP_NONE;
	return ok;
}

/* Those that took some CPU time: others, as what a shell starts, do not count.
 */
static void add_workers(struct gpu_workers *to, const struct run *run, bool *is)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < run->rank_count; i++)
		if (is[i] && run->ranks[i].cpu_ns > most) {
			most = run->ranks[i].cpu_ns;
			to->role = str_at(&run->strings, run->ranks[i].role);
		}
	for (uint32_t i = 0; i < run->rank_count; i++) {
		const struct run_rank *r = &run->ranks[i];

		is[i] = is[i] && most &&
			(double)r->cpu_ns >= FEW * (double)most;
		to->count += is[i];
		to->cpu += is[i] ? (double)r->cpu_ns / 1e9 : 0;
		to->elapsed += is[i] ? (double)r->elapsed_ns / 1e9 : 0;
	}
}

/* By process: is it one?  0, or -ENOMEM with a reason. */
static int find_workers(struct gpu_workers *to, const struct run *run, bool *is)
{
	bool *uses = calloc(run->rank_count + 1, sizeof(*uses)), ok = uses;
	struct map map = { 0 };

	if (uses)
		find_users(uses, run);
	ok = ok && put_worker_processes(&map, run, uses);
	for (uint32_t i = 0; i < run->rank_count && ok; i++)
		is[i] = !uses[i] && is_below_user(run, &map, uses, i);
	add_workers(to, run, is);
	map_fini(&map);
	free(uses);
	return ok ? 0 : no_memory();
}

static double value_of_workers(const struct run_value *values, size_t count,
			       const bool *is)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		if (is[values[i].rank])
			sum += (double)values[i].value / 1e9;
	return sum;
}

/* The function of theirs with most time, and its line that has most. */
static void find_worker_path(struct gpu_workers *to, const struct paths *paths,
			     const double *own)
{
	const struct run *run = paths->run;
	uint32_t main = host_main_module(run), at;
	double *sums = calloc(run->node_count + 1, sizeof(*sums)), all = 0;

	for (uint32_t n = 1; sums && n < run->node_count; n++) {
		uint32_t owner = host_program_frame(run, main, n, &at);
		uint32_t path = paths->of[owner];

		all += own[n];
		sums[path] += owner ? own[n] : 0;
		if (sums[path] > sums[to->path])
			to->path = path;
	}
	to->at_path = sums ? value_ratio(sums[to->path], all) : 0;
	for (uint32_t n = 1; sums && n < run->node_count; n++)
		sums[n] = 0;
	for (uint32_t n = 1; sums && n < run->node_count; n++) {
		uint32_t owner = host_program_frame(run, main, n, &at);

		if (!owner || !at || paths->of[owner] != to->path)
			continue;
		sums[at] += own[n];
		if (sums[at] > sums[to->node])
			to->node = at;
	}
	free(sums);
}

int gpu_workers_of(struct gpu_workers *to, const struct paths *paths)
{
	const struct run *run = paths->run;
	const struct run_metric *m = run_metric(run, "cpu.time");
	double *own = calloc(run->node_count + 1, sizeof(*own));
	bool *is = calloc(run->rank_count + 1, sizeof(*is));
	struct value_buffer buffer = { 0 };
	int err;

	*to = (struct gpu_workers){ .role = "" };
	err = own && is ? find_workers(to, run, is) : no_memory();
	for (uint32_t n = 1; to->count && m && n < run->node_count && !err;
	     n++) {
		const struct run_value *values;
		size_t count;

		err = values_of_node(run, (size_t)(m - run->metrics), n,
				     &buffer, &values, &count);
		if (!err)
			own[n] = value_of_workers(values, count, is);
	}
	if (!err && to->count)
		find_worker_path(to, paths, own);
	value_buffer_fini(&buffer);
	free(is);
	free(own);
	return err;
}

char *gpu_workers_text(const struct gpu_workers *w, const struct paths *paths)
{
	const struct run_node *n = &paths->run->nodes[w->node];
	char *path, *place, *text = NULL, time[32];

	if (!w->count)
		return strdup("");
	path = w->path ? paths_short(paths, w->path, 1) : strdup("");
	place = n->line ? paths_place(paths->run, n->file, n->line)
			: strdup("");
	if (path && place)
		text = str_format("its %zu %s%s%s%s computed for %s%s%s%s%s",
				  w->count, w->count > 1 ? "workers" : "worker",
				  *w->role ? " (" : "", w->role,
				  *w->role ? ")" : "",
				  phrase_time(time, w->cpu),
				  *path ? ", most of it in " : "", path,
				  *place ? ", " : "", place);
	free(path);
	free(place);
	return text;
}
