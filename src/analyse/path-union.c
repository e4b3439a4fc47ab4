/* SPDX-License-Identifier: BSD-3-Clause */
/* path-union.c - put each run's paths into one tree, then add from below. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyse/path-union.h"
#include "analyse/paths.h"
#include "base/err.h"
#include "base/map.h"

struct joining {
	struct path_union *u;
	struct map map; /* (parent, name; inside MPI) to path */
	size_t room;
	size_t run; /* which of them is being added */
};

static bool make_room(struct joining *j, size_t more)
{
	struct path_union *u = j->u;
	size_t room = j->room + more;
	void *at = reallocarray(u->at, room, sizeof(*u->at));
	void *values;

	if (!at)
		return false;
	u->at = at;
	values = reallocarray(u->inclusive, room * u->run_count,
			      sizeof(*u->inclusive));
	if (!values)
		return false;
	u->inclusive = values;
	for (size_t i = j->room * u->run_count; i < room * u->run_count; i++)
		u->inclusive[i] = 0;
	j->room = room;
	return true;
}

static uint32_t join(struct joining *j, uint32_t parent, const char *text,
		     bool mpi)
{
	struct path_union *u = j->u;
	uint32_t name = str_add(&u->strings, text), index;

	if (name == STR_NONE)
		return MAP_NONE;
	mpi = mpi || (u->count && u->at[parent].mpi);
	index = map_put(&j->map, (uint64_t)parent << 32 | name, mpi,
			(uint32_t)u->count);
	if (index == u->count)
		u->at[u->count++] = (struct union_path){ .parent = parent,
							 .name = name,
							 .mpi = mpi };
	return index;
}

/* What each path of the run has itself; to be freed, NULL: out of memory. */
static double *values_of(const struct paths *paths, const char *name,
			 const char *mpi_name)
{
	const struct run_metric *m = run_metric(paths->run, name);
	const struct run_metric *mpi =
		mpi_name ? run_metric(paths->run, mpi_name) : NULL;
	double *values = calloc(paths->count + 1, sizeof(*values));
	double *inside = calloc(paths->count + 1, sizeof(*inside));

	if (values && inside) {
		if (m)
			paths_values(paths, m, values, NULL);
		if (mpi)
			paths_values(paths, mpi, inside, NULL);
		for (uint32_t p = 0; mpi && p < paths->count; p++)
			if (paths_in_mpi(paths, p))
				values[p] = inside[p];
	} else {
		free(values);
		values = NULL;
	}
	free(inside);
	return values;
}

static int add_run(struct joining *j, const struct run *run, const char *metric,
		   const char *mpi)
{
	struct path_union *u = j->u;
	struct paths paths;
	uint32_t *to = NULL;
	double *values = NULL;
	int err = paths_init(&paths, run);

	if (err)
		return err;
	to = calloc(paths.count + 1, sizeof(*to));
	values = values_of(&paths, metric, mpi);
	if (!to || !values || !make_room(j, paths.count))
		err = -ENOMEM;
	for (uint32_t p = 0; p < paths.count && !err; p++) {
		uint32_t node = paths.at[p].node;

		to[p] = join(j, p ? to[paths.at[p].parent] : 0,
			     paths_function(run, node),
			     run->nodes[node].kind == RUN_MPI);
		if (to[p] == MAP_NONE)
			err = -ENOMEM;
		else
			u->inclusive[to[p] * u->run_count + j->run] +=
				values[p];
	}
	paths_fini(&paths);
	free(values);
	free(to);
	return err;
}

static uint32_t parent_of(const void *tree, size_t i)
{
	const struct union_path *at = tree;

	return at[i].parent;
}

/* Depth first, as it came from the first run and then what others add. */
static int sort(struct path_union *u)
{
	size_t n = u->count, runs = u->run_count;
	uint32_t *position = calloc(n + 1, sizeof(*position));
	uint32_t *end = calloc(n + 1, sizeof(*end));
	struct union_path *at = calloc(n + 1, sizeof(*at));
	double *values = calloc(n * runs + 1, sizeof(*values));
	int err = position && end && at && values ? 0 : -ENOMEM;

	if (!err)
		err = paths_order(n, parent_of, u->at, position, end);
	for (size_t i = 0; i < n && !err; i++) {
		uint32_t p = position[i];

		at[p] = u->at[i];
		at[p].parent = position[u->at[i].parent];
		at[p].end = end[p];
		for (size_t r = 0; r < runs; r++)
			values[p * runs + r] = u->inclusive[i * runs + r];
	}
	free(position);
	free(end);
	free(err ? (void *)at : (void *)u->at);
	free(err ? values : u->inclusive);
	if (!err) {
		u->at = at;
		u->inclusive = values;
	}
	return err;
}

int path_union_init(struct path_union *u, const struct run *const runs[],
		    const char *metric, const char *mpi)
{
	struct joining j = { .u = u };
	int err = 0;

	*u = (struct path_union){ 0 };
	while (runs[u->run_count])
		u->run_count++;
	for (; j.run < u->run_count && !err; j.run++)
		err = add_run(&j, runs[j.run], metric, mpi);
	map_fini(&j.map);
	if (!err)
		err = sort(u);
	for (size_t i = u->count; !err && i-- > 1;)
		for (size_t r = 0; r < u->run_count; r++)
			u->inclusive[u->at[i].parent * u->run_count + r] +=
				u->inclusive[i * u->run_count + r];
	if (err)
		path_union_fini(u);
	return err ? fail(err, "out of memory") : 0;
}

void path_union_fini(struct path_union *u)
{
	free(u->at);
	free(u->inclusive);
	strings_fini(&u->strings);
	*u = (struct path_union){ 0 };
}

char *path_union_text(const struct path_union *u, uint32_t path)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	fputs(str_at(&u->strings, u->at[path].name), to);
	for (path = u->at[path].parent; path; path = u->at[path].parent)
		fprintf(to, " ← %s", str_at(&u->strings, u->at[path].name));
	fclose(to);
	return text;
}
