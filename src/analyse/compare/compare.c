/* SPDX-License-Identifier: BSD-3-Clause */
/* compare.c - two sides of runs: their paths, values and noise. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyse/base/analysis.h"
#include "analyse/compare/compare.h"
#include "analyse/compare/student.h"
#include "analyse/base/confidence.h"
#include "base/err.h"

static double mean_of_values(const double *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return value_ratio(sum, (double)count);
}

static double squared_deviations(const double *values, size_t count)
{
	double mean = mean_of_values(values, count), sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += (values[i] - mean) * (values[i] - mean);
	return sum;
}

/* By sampling, in a run; *few: too few samples for values to be normal. */
static double sampled_variance(const double *values, const double *sampling,
			       size_t count, bool *few)
{
	double variance = mean_of_values(sampling, count);
	double value = mean_of_values(values, count);

	*few = value * value < CONFIDENCE_FEW * variance;
	return variance;
}

void comparison_of(struct comparison *c, const double *values,
		   const double *sampling, size_t base, size_t count)
{
	double freedom = (double)count - 2, variance, error, t;
	bool few;
	double least = sampled_variance(values, sampling, count, &few);

	c->base = mean_of_values(values, base);
	c->now = mean_of_values(values + base, count - base);
	c->change = c->now - c->base;
	if (freedom > 0) {
		variance = squared_deviations(values, base) +
			   squared_deviations(values + base, count - base);
		variance /= freedom;
		variance = few ? fmax(variance, least) : variance;
	} else {
		freedom = INFINITY;
		variance = least;
	}
	if (isinf(freedom) && variance <= 0) {
		c->margin = c->more = c->less = NAN;
		return;
	}
	error = sqrt(variance *
		     (1 / (double)base + 1 / (double)(count - base)));
	t = error > 0 ? c->change / error : c->change * INFINITY;
	t = isnan(t) ? 0 : t;
	c->margin = error > 0 ? error * student_limit(0.025, freedom) : 0;
	c->more = student_above(t, freedom);
	c->less = student_above(-t, freedom);
}

double comparison_relative(const struct comparison *c)
{
	return c->change / c->base;
}

const char *comparison_text(char to[32], const struct comparison *c)
{
	double relative = c->change == 0 ? 0 : comparison_relative(c);

	if (isfinite(relative))
		snprintf(to, 32, "%+.1f %%", 100 * relative);
	else
		snprintf(to, 32, "from nothing");
	return to;
}

int compare_sides_init(struct sides *s, const struct run *const runs[],
		       size_t base)
{
	*s = (struct sides){ .runs = runs, .base = base ? base : 1 };
	while (runs[s->count])
		s->count++;
	if (s->count <= s->base || (!base && s->count > 2))
		return fail(-EINVAL, s->count > 2
					     ? "which runs are the new ones? "
					       "write 'vs' before them"
					     : "two runs are compared, or "
					       "more with 'vs' between");
	return path_union_init(&s->paths, runs, s->base);
}

void compare_sides_fini(struct sides *s)
{
	path_union_fini(&s->paths);
}

const struct run *compare_sides_new(const struct sides *s)
{
	return s->runs[s->base];
}

const struct run_metric *compare_sides_metric(const struct sides *s,
					      const char *name)
{
	const struct run_metric *m = NULL;

	for (size_t i = 0; i < s->count && !m; i++)
		m = run_metric(s->runs[i], name);
	return m;
}

const struct run_metric *
compare_sides_choose(const struct sides *s,
		     const struct analysis_options *options)
{
	const struct run_metric *m =
		options->metric ? compare_sides_metric(s, options->metric)
				: NULL;

	if (m && m->merge == MERGE_SUM)
		return m;
	return analysis_metric(s->runs[0], options, NULL);
}

/* From run after run to path after path. */
static void spread_of_runs(double *to, const double *from, size_t paths,
			   size_t runs, size_t run)
{
	for (size_t p = 0; p < paths; p++)
		to[p * runs + run] = from[p];
}

/* What sampling does to each path's own value in a run. */
static void add_noise(const struct sides *s, size_t r, const char *name,
		      double *of)
{
	const struct run *run = s->runs[r];
	const struct run_metric *m = run_metric(run, name);
	double scale = m ? value_of(m->unit, 1) : 1;

	for (size_t p = 0; p < s->paths.count; p++)
		of[p] = 0;
	for (size_t n = 0; m && n < run->node_count; n++)
		of[s->paths.of[r][n]] += m->stats[n].squares * scale * scale;
}

/* A share of all is a proportion: of the whole nothing is left to chance. */
static void scale_noise_of_share(double *noise, const double *values,
				 size_t count)
{
	for (size_t p = count; p-- > 0;)
		noise[p] *= 1 - fmin(value_ratio(values[p], values[0]), 1);
}

static void values_of_run(struct sides_values *v, const struct sides *s,
			  size_t r, const char *metric, double *values,
			  double *noise)
{
	size_t paths = s->paths.count;
	double total = 0;

	path_union_values(&s->paths, r, s->runs[r], metric, NULL, values);
	add_noise(s, r, metric, noise);
	spread_of_runs(v->exclusive, values, paths, s->count, r);
	spread_of_runs(v->noise, noise, paths, s->count, r);
	path_union_add_up(&s->paths, values);
	path_union_add_up(&s->paths, noise);
	total = values[0];
	for (size_t p = 0; p < paths; p++) {
		double *own = &v->noise[p * s->count + r];
		double value = v->exclusive[p * s->count + r];

		*own *= 1 - fmin(value_ratio(value, total), 1);
	}
	scale_noise_of_share(noise, values, paths);
	spread_of_runs(v->inclusive, values, paths, s->count, r);
	spread_of_runs(v->noise_below, noise, paths, s->count, r);
}

int compare_values_init(struct sides_values *v, const struct sides *s,
			const char *metric)
{
	size_t paths = s->paths.count, size = paths * s->count + 1;
	double *values = calloc(paths + 1, sizeof(*values));
	double *noise = calloc(paths + 1, sizeof(*noise));
	int err = 0;

	*v = (struct sides_values){
		.count = s->count,
		.exclusive = calloc(size, sizeof(double)),
		.inclusive = calloc(size, sizeof(double)),
		.noise = calloc(size, sizeof(double)),
		.noise_below = calloc(size, sizeof(double)),
	};
	if (!values || !noise || !v->exclusive || !v->inclusive || !v->noise ||
	    !v->noise_below)
		err = no_memory();
	for (size_t r = 0; r < s->count && !err; r++)
		values_of_run(v, s, r, metric, values, noise);
	free(values);
	free(noise);
	return err;
}

void compare_values_fini(struct sides_values *v)
{
	free(v->exclusive);
	free(v->inclusive);
	free(v->noise);
	free(v->noise_below);
	*v = (struct sides_values){ 0 };
}

void compare_sides_inclusive(struct comparison *c, const struct sides *s,
			     const struct sides_values *v, uint32_t path)
{
	comparison_of(c, v->inclusive + path * v->count,
		      v->noise_below + path * v->count, s->base, s->count);
}

void compare_sides_exclusive(struct comparison *c, const struct sides *s,
			     const struct sides_values *v, uint32_t path)
{
	comparison_of(c, v->exclusive + path * v->count,
		      v->noise + path * v->count, s->base, s->count);
}

static int number_functions(struct functions *f, const struct sides *s)
{
	struct map map = { 0 };
	int err = 0;

	for (uint32_t p = 0; p < s->paths.count && !err; p++) {
		uint32_t name = s->paths.at[p].name;

		f->of[p] = map_put(&map, name, 0, (uint32_t)f->count);
		if (f->of[p] == MAP_NONE)
			err = no_memory();
		else if (f->of[p] == f->count)
			f->name[f->count++] = name;
	}
	map_fini(&map);
	return err;
}

int compare_functions_init(struct functions *f, const struct sides *s,
			   const struct sides_values *v)
{
	size_t paths = s->paths.count;
	int err;

	*f = (struct functions){
		.runs = s->count,
		.of = calloc(paths + 1, sizeof(uint32_t)),
		.name = calloc(paths + 1, sizeof(uint32_t)),
		.values = calloc(paths * s->count + 1, sizeof(double)),
		.noise = calloc(paths * s->count + 1, sizeof(double)),
	};
	if (!f->of || !f->name || !f->values || !f->noise)
		return no_memory();
	err = number_functions(f, s);
	for (size_t p = 0; p < paths && !err; p++) {
		for (size_t r = 0; r < s->count; r++) {
			size_t to = f->of[p] * s->count + r;

			f->values[to] += v->exclusive[p * s->count + r];
			f->noise[to] += v->noise[p * s->count + r];
		}
	}
	return err;
}

void compare_functions_fini(struct functions *f)
{
	free(f->of);
	free(f->name);
	free(f->values);
	free(f->noise);
	*f = (struct functions){ 0 };
}
