/* SPDX-License-Identifier: BSD-3-Clause */
/* rank-distribution.c - the models, how much each explains, and their names. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyse/base/outlier.h"
#include "analyse/base/processes.h"
#include "analyse/ranks/rank-distribution.h"
#include "analyse/base/value.h"
#include "base/err.h"

#define EVEN        0.05 /* of the largest: so much is no difference */
#define EXPLAINS    0.8  /* the least that a shape has to explain */
#define TIE         0.02 /* so much better is not better */
#define MOST_PERIOD 32
#define FEW         4 /* at most every fourth is an outlier */

struct spread { /* of some values: */
	double count, sum, squares;
};

static void spread_add(struct spread *s, double value)
{
	s->count++;
	s->sum += value;
	s->squares += value * value;
}

/* The sum of squared differences from their mean. */
static double spread_left(const struct spread *s)
{
	double left = s->count ? s->squares - s->sum * s->sum / s->count : 0;

	return left > 0 ? left : 0;
}

static double spread_mean(const struct spread *s)
{
	return value_ratio(s->sum, s->count);
}

struct model {
	const struct shapes *shapes;
	const double *values; /* less their mean: no digits are lost */
	struct spread all;
	struct shape best;
};

static void consider_shape(struct model *m, struct shape shape,
			   double explained)
{
	shape.explained = explained;
	if (explained >= EXPLAINS && explained > m->best.explained + TIE)
		m->best = shape;
}

/* A model with so many parameters leaves that sum of squares. */
static void propose_shape(struct model *m, struct shape shape, double left,
			  size_t parameters)
{
	double n = (double)m->shapes->count;
	double free = n - (double)parameters;

	if (free >= 1)
		consider_shape(
			m, shape,
			1 - left / free / (spread_left(&m->all) / (n - 1)));
}

/* Half the range of the others, against how far the nearest outlier is. */
static double outliers_explain(const struct model *m,
			       const struct outliers *rule)
{
	double low = INFINITY, high = -INFINITY, nearest = INFINITY;

	for (size_t i = 0; i < m->shapes->count; i++) {
		double value = m->values[i];

		if (outlier_is(rule, value)) {
			nearest = fmin(nearest, fabs(value - rule->median));
		} else {
			low = fmin(low, value);
			high = fmax(high, value);
		}
	}
	return 1 - (high - low) / 2 / nearest;
}

static int try_outliers(struct model *m, bool one)
{
	struct shape shape = { .kind = one ? SHAPE_ONE : SHAPE_FEW };
	struct outliers rule;
	int err = outlier_rule(&rule, m->values, m->shapes->count, 0);

	if (err || one != (rule.count == 1) || !rule.count ||
	    (!one && rule.count > m->shapes->count / FEW))
		return err;
	while (!outlier_is(&rule, m->values[shape.at]))
		shape.at++;
	shape.more = outlier_is(&rule, m->values[shape.at]) > 0;
	consider_shape(m, shape, outliers_explain(m, &rule));
	return 0;
}

static uint32_t rank_of_process(const struct shapes *s, size_t i)
{
	return (uint32_t)s->run->ranks[s->processes[i]].rank;
}

/*
 * By group[i] of each, or NULL: by what is left of its rank / groups.  The mean
 * of each group stands in the scratch space; that of an empty one is 0.
 */
static double left_in_groups(const struct model *m, const uint32_t *group,
			     size_t groups)
{
	double *sums = m->shapes->scratch, *counts = sums + groups;
	double left = m->all.squares;

	for (size_t g = 0; g < 2 * groups; g++)
		sums[g] = 0;
	for (size_t i = 0; i < m->shapes->count; i++) {
		size_t g = group ? group[i]
				 : rank_of_process(m->shapes, i) % groups;

		sums[g] += m->values[i];
		counts[g]++;
	}
	for (size_t g = 0; g < groups; g++) {
		left -= value_ratio(sums[g] * sums[g], counts[g]);
		sums[g] = value_ratio(sums[g], counts[g]);
	}
	return left > 0 ? left : 0;
}

/* The host that is furthest from the mean; of equals, above it. */
static void try_host(struct model *m)
{
	const struct shapes *s = m->shapes;
	struct shape shape = { .kind = SHAPE_HOST };
	size_t which = 0;
	double left;

	if (s->hosts < 2 || 2 * s->hosts > s->count)
		return;
	left = left_in_groups(m, s->host, s->hosts);
	for (size_t h = 1; h < s->hosts; h++) {
		double more = fabs(s->scratch[h]) - fabs(s->scratch[which]);
		bool equal = fabs(more) < TIE * fabs(s->scratch[h]);

		if (equal ? s->scratch[h] > s->scratch[which] : more > 0)
			which = h;
	}
	shape.more = s->scratch[which] > 0;
	while (s->host[shape.at] != which)
		shape.at++;
	propose_shape(m, shape, left, s->hosts);
}

static void try_linear(struct model *m)
{
	size_t n = m->shapes->count;
	double middle = 0, products = 0, squares = 0;
	struct shape shape = { .kind = SHAPE_LINEAR };

	for (size_t i = 0; i < n; i++)
		middle += rank_of_process(m->shapes, i) / (double)n;
	for (size_t i = 0; i < n; i++) {
		double x = rank_of_process(m->shapes, i) - middle;

		products += x * m->values[i];
		squares += x * x;
	}
	shape.more = products > 0;
	propose_shape(m, shape, m->all.squares - products * products / squares,
		      2);
}

static void try_periodic(struct model *m)
{
	size_t n = m->shapes->count;

	for (size_t p = 2; p <= MOST_PERIOD && 2 * p <= n; p++) {
		struct shape shape = { .kind = SHAPE_PERIODIC, .period = p };
		double left = left_in_groups(m, NULL, p);
		const double *means = m->shapes->scratch;

		for (size_t g = 1; g < p; g++)
			if (means[g] > means[shape.at])
				shape.at = g;
		propose_shape(m, shape, left, p);
	}
}

/* Where it is cut is a parameter too. */
static void try_block(struct model *m)
{
	size_t n = m->shapes->count;
	struct spread first = { 0 };
	struct shape shape = { .kind = SHAPE_BLOCK };
	double best = INFINITY;

	for (size_t cut = 1; cut < n; cut++) {
		struct spread rest = m->all;
		double left;

		spread_add(&first, m->values[cut - 1]);
		rest.count -= first.count;
		rest.sum -= first.sum;
		rest.squares -= first.squares;
		left = spread_left(&first) + spread_left(&rest);
		if (left >= best)
			continue;
		best = left;
		shape.more = spread_mean(&first) > spread_mean(&rest);
		shape.from = shape.more ? 0 : cut;
		shape.to = shape.more ? cut : n;
	}
	propose_shape(m, shape, best, 3);
}

static bool is_even_load(const struct shapes *s, const double *values,
			 double mean)
{
	double most = values[0], away = 0;

	for (size_t i = 0; i < s->count; i++) {
		most = fmax(most, values[i]);
		away = fmax(away, fabs(values[i] - mean));
	}
	return away <= fmax(EVEN * most, s->least);
}

/* Without ranks the order of processes means nothing. */
static int try_all_shapes(struct model *m)
{
	bool order = m->shapes->run->world != 0;
	int err = try_outliers(m, true);

	if (order)
		try_linear(m);
	try_host(m);
	if (order)
		try_periodic(m);
	if (order)
		try_block(m);
	return err ? err : try_outliers(m, false);
}

int distribution_of(struct shape *to, const struct shapes *s,
		    const double *values)
{
	struct model m = { .shapes = s };
	double *centred = calloc(s->count + 1, sizeof(*centred));
	double mean = 0;
	int err = 0;

	*to = (struct shape){ .kind = SHAPE_NONE };
	if (!centred)
		return no_memory();
	for (size_t i = 0; i < s->count; i++)
		mean += values[i] / (double)s->count;
	for (size_t i = 0; i < s->count; i++) {
		centred[i] = values[i] - mean;
		spread_add(&m.all, centred[i]);
	}
	m.values = centred;
	m.best.kind = SHAPE_IRREGULAR;
	if (s->count > 2 && is_even_load(s, values, mean))
		m.best.kind = SHAPE_EVEN;
	else if (s->count > 2)
		err = try_all_shapes(&m);
	if (s->count > 2)
		*to = m.best;
	free(centred);
	return err;
}

int distributions_init(struct shapes *s, const struct run *run,
		       const uint32_t *processes, size_t count, double least)
{
	ssize_t hosts = -ENOMEM;

	*s = (struct shapes){ .run = run,
			      .processes = processes,
			      .count = count,
			      .least = least };
	s->host = calloc(count + 1, sizeof(*s->host));
	s->scratch = calloc(2 * count + 1, sizeof(*s->scratch));
	if (s->host && s->scratch)
		hosts = processes_hosts(run, processes, count, s->host);
	if (hosts < 0) {
		distributions_fini(s);
		return no_memory();
	}
	s->hosts = (size_t)hosts;
	return 0;
}

void distributions_fini(struct shapes *s)
{
	free(s->host);
	free(s->scratch);
	*s = (struct shapes){ 0 };
}

const char *distribution_word(const struct shape *shape)
{
	static const char *const words[] = {
		[SHAPE_NONE] = NULL,
		[SHAPE_EVEN] = "even",
		[SHAPE_ONE] = "one",
		[SHAPE_HOST] = "host",
		[SHAPE_LINEAR] = "linear",
		[SHAPE_PERIODIC] = "periodic",
		[SHAPE_BLOCK] = "block",
		[SHAPE_FEW] = "few",
		[SHAPE_IRREGULAR] = "irregular",
	};

	return words[shape->kind];
}

/* "0–31" of the processes that are picked. */
static char *picked_list(const struct shapes *s, const bool *picked)
{
	uint32_t *indices = calloc(s->count + 1, sizeof(*indices));
	size_t count = 0;
	char *text;

	if (!indices)
		return NULL;
	for (size_t i = 0; i < s->count; i++)
		if (picked[i])
			indices[count++] = s->processes[i];
	text = processes_list(s->run, indices, count);
	free(indices);
	return text;
}

static bool *pick_ranks(const struct shape *shape, const struct shapes *s,
			const double *values)
{
	bool *picked = calloc(s->count + 1, sizeof(*picked));
	struct outliers rule;

	if (!picked)
		return NULL;
	if (shape->kind == SHAPE_FEW &&
	    outlier_rule(&rule, values, s->count, 0)) {
		free(picked);
		return NULL;
	}
	for (size_t i = 0; i < s->count; i++)
		picked[i] = shape->kind == SHAPE_ONE ? i == shape->at
			    : shape->kind == SHAPE_FEW
				    ? outlier_is(&rule, values[i])
				    : i >= shape->from && i < shape->to;
	return picked;
}

/* "one rank: 3", "block: 0–31" */
static char *text_of_ranks(const struct shape *shape, const struct shapes *s,
			   const double *values)
{
	const char *noun = processes_noun(s->run);
	bool *picked = pick_ranks(shape, s, values);
	char *ranks = picked ? picked_list(s, picked) : NULL;
	char *text = NULL;

	if (ranks && shape->kind == SHAPE_ONE)
		text = str_format(shape->more ? "one %s: %s"
					      : "one %s less: %s",
				  noun, ranks);
	else if (ranks)
		text = str_format("%s: %s", distribution_word(shape), ranks);
	free(picked);
	free(ranks);
	return text;
}

static char *text_of_period(const struct shape *shape)
{
	if (shape->period == 2)
		return str_format("alternating: %s",
				  shape->at ? "odd" : "even");
	return str_format("every %zu: %zu, %zu, …", shape->period, shape->at,
			  shape->at + shape->period);
}

char *distribution_text(const struct shape *shape, const struct shapes *s,
			const double *values)
{
	const char *word = distribution_word(shape);

	switch (shape->kind) {
	case SHAPE_ONE:
	case SHAPE_FEW:
	case SHAPE_BLOCK:
		return text_of_ranks(shape, s, values);
	case SHAPE_HOST:
		return str_format(
			shape->more ? "host: %s" : "host less: %s",
			str_at(&s->run->strings,
			       s->run->ranks[s->processes[shape->at]].host));
	case SHAPE_LINEAR:
		return str_format("linear, %s",
				  shape->more ? "rising" : "falling");
	case SHAPE_PERIODIC:
		return text_of_period(shape);
	default:
		return str_format("%s", word ? word : "");
	}
}
