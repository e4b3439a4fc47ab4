/* SPDX-License-Identifier: BSD-3-Clause */
/* path-heat.c - choose paths, and read what each process has in them. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/ranks/rank-groups.h"
#include "base/comparison.h"
#include "base/err.h"
#include "run/values.h"

enum {
	MOST_PATHS = 1000,
	LEAST_PATHS = 100,
	MOST_READ = 4000000,  /* values: half a second, of a run.h5 */
	MOST_STRIPS = 300000, /* values that get a code of their own */
	MOST_EXACT = 16384    /* … that stay as they are */
};

struct heat_pick {
	uint32_t path;
	double sum;
};

ORDER_BY(by_pick_sum, struct heat_pick, DESC(sum) ?: ASC(path))

ORDER_BY(by_path_number, uint32_t, ORDER(*a, *b))

static size_t count_within(size_t budget, size_t each, size_t least,
			   size_t most)
{
	size_t count = budget / (each ? each : 1);

	return count < least ? least : count > most ? most : count;
}

static uint32_t *first_picks(const struct heat_pick *picks, size_t count)
{
	uint32_t *paths = calloc(count + 1, sizeof(*paths));

	for (size_t i = 0; paths && i < count; i++)
		paths[i] = picks[i].path;
	if (paths)
		qsort(paths, count, sizeof(*paths), by_path_number);
	return paths;
}

static int take_picks(struct path_heat *h, const struct heat_pick *picks,
		      size_t count, size_t processes)
{
	h->count = count_within(MOST_READ, processes, LEAST_PATHS, MOST_PATHS);
	h->count = h->count < count ? h->count : count;
	h->strip_count = count_within(MOST_STRIPS, processes, 1, h->count);
	h->exact_count = count_within(MOST_EXACT, processes, 1, h->count);
	h->paths = first_picks(picks, h->count);
	h->strips = first_picks(picks, h->strip_count);
	h->exact = first_picks(picks, h->exact_count);
	return h->paths && h->strips && h->exact ? 0 : no_memory();
}

/* Those that are wanted first, then those with the largest sums. */
static int choose_heat_paths(struct path_heat *h, const struct paths *paths,
			     const struct path_sum *sums, const bool *wanted)
{
	struct heat_pick *picks = calloc(paths->count + 1, sizeof(*picks));
	size_t count = 0;
	int err;

	if (!picks)
		return no_memory();
	for (uint32_t p = 0; p < paths->count; p++)
		if (wanted[p] || sums[p].sum > 0)
			picks[count++] = (struct heat_pick){
				p, wanted[p] ? INFINITY : sums[p].sum
			};
	qsort(picks, count, sizeof(*picks), by_pick_sum);
	err = take_picks(h, picks, count, paths->run->rank_count);
	free(picks);
	return err;
}

static int heat_make_room(struct path_heat *h, const struct path_sum *sums,
			  size_t groups, size_t processes)
{
	h->sums = calloc(h->count + 1, sizeof(*h->sums));
	h->mean = calloc(h->count + 1, groups);
	h->most = calloc(h->count + 1, groups);
	h->strip_codes = calloc(h->strip_count + 1, processes);
	h->exact_values = calloc((h->exact_count + 1) * processes,
				 sizeof(*h->exact_values));
	if (!h->sums || !h->mean || !h->most || !h->strip_codes ||
	    !h->exact_values)
		return no_memory();
	for (size_t i = 0; i < h->count; i++)
		h->sums[i] = sums[h->paths[i]];
	return 0;
}

static uint8_t heat_code(const struct path_heat *h, double value)
{
	double code;

	if (value <= 0 || h->top <= 0)
		return 0;
	code = 255 + round(16 * log2(value / h->top));
	return (uint8_t)fmin(fmax(code, 1), 255);
}

static void heat_groups(struct path_heat *h, size_t i, const uint64_t *row,
			const struct rank_groups *groups)
{
	for (size_t g = 0; g < groups->count; g++) {
		const struct rank_group *group = &groups->at[g];
		size_t at = i * groups->count + g;
		double sum = 0;
		uint64_t most = 0;

		for (uint32_t r = 0; r < group->count; r++) {
			uint64_t value = row[group->first + r];

			sum += (double)value;
			most = value > most ? value : most;
		}
		h->mean[at] = heat_code(h, sum / group->count);
		h->most[at] = heat_code(h, (double)most);
	}
}

static int heat_fill(struct path_heat *h, const struct paths *paths,
		     const struct rank_groups *groups)
{
	size_t processes = paths->run->rank_count, strip = 0, exact = 0;
	uint64_t *row = calloc(processes + 1, sizeof(*row));
	int err = row ? 0 : no_memory();

	values_keep(paths->run, h->metric);
	for (size_t i = 0; i < h->count && !err; i++) {
		uint32_t path = h->paths[i];

		err = path_row(paths, h->metric, path, row);
		heat_groups(h, i, row, groups);
		if (strip < h->strip_count && h->strips[strip] == path) {
			for (size_t r = 0; r < processes; r++)
				h->strip_codes[strip * processes + r] =
					heat_code(h, (double)row[r]);
			strip++;
		}
		if (exact < h->exact_count && h->exact[exact] == path)
			memcpy(&h->exact_values[exact++ * processes], row,
			       processes * sizeof(*row));
	}
	free(row);
	return err;
}

/* Of processes that are no members there are no sums. */
static int find_top(struct path_heat *h, const struct run *run)
{
	uint64_t *row = calloc(run->rank_count + 1, sizeof(*row));
	int err = row ? path_totals(run, h->metric, row) : no_memory();

	for (size_t r = 0; r < run->rank_count && !err; r++)
		h->top = fmax(h->top, (double)row[r]);
	free(row);
	return err;
}

int path_heat_init(struct path_heat *h, const struct paths *paths,
		   const struct run_metric *metric,
		   const struct rank_groups *groups, const bool *wanted)
{
	struct path_sum *sums = path_sums(paths, metric);
	int err = sums ? 0 : -ENOMEM;

	*h = (struct path_heat){ .metric = metric };
	if (!err)
		err = choose_heat_paths(h, paths, sums, wanted);
	if (!err)
		err = heat_make_room(h, sums, groups->count,
				     paths->run->rank_count);
	if (!err)
		err = find_top(h, paths->run);
	if (!err)
		err = heat_fill(h, paths, groups);
	free(sums);
	if (err)
		path_heat_fini(h);
	return err;
}

void path_heat_fini(struct path_heat *h)
{
	free(h->paths);
	free(h->sums);
	free(h->mean);
	free(h->most);
	free(h->strips);
	free(h->exact);
	free(h->strip_codes);
	free(h->exact_values);
	*h = (struct path_heat){ 0 };
}
