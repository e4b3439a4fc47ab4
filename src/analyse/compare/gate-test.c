/* SPDX-License-Identifier: BSD-3-Clause */
/* gate-test.c - make tests of rules, and judge them by Holm's procedure. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/diagnose/diagnosis.h"
#include "analyse/mpi/efficiency.h"
#include "analyse/base/elapsed.h"
#include "analyse/compare/gate-test.h"
#include "base/array.h"
#include "base/err.h"
#include "base/comparison.h"

int gate_tests_init(struct gate_tests *tests, const struct run *const runs[],
		    size_t base)
{
	*tests = (struct gate_tests){ 0 };
	return compare_sides_init(&tests->sides, runs, base);
}

void gate_tests_fini(struct gate_tests *tests)
{
	for (size_t i = 0; i < tests->count; i++)
		free(tests->at[i].subject);
	free(tests->at);
	compare_sides_fini(&tests->sides);
}

/* The change, and whether it is over the limit. */
static void measure_test(struct gate_test *t)
{
	const struct rule *rule = t->rule;
	double change = t->c.change;

	if (rule->unit == RULE_RELATIVE)
		change = change == 0 ? 0 : comparison_relative(&t->c);
	t->change = change;
	t->p = rule->below ? t->c.less : t->c.more;
	t->over = rule->below ? change < rule->limit : change > rule->limit;
}

/* Takes `subject`, which may be NULL: out of memory. */
static int add_test(struct gate_tests *tests, struct gate_test test,
		    char *subject)
{
	if (!subject)
		return no_memory();
	test.subject = subject;
	measure_test(&test);
	if (array_append(&tests->at, &tests->count, &tests->room, sizeof(test),
			 &test))
		return 0;
	free(subject);
	return -ENOMEM;
}

static double factor_of(const struct efficiency *e, double elapsed,
			enum rule_factor factor)
{
	switch (factor) {
	case FACTOR_ELAPSED:
		return e->ranks ? e->elapsed : elapsed;
	case FACTOR_MPI_SHARE:
		return e->ranks ? e->mpi_mean : NAN;
	case FACTOR_EFFICIENCY:
		return e->all;
	case FACTOR_PARALLEL:
		return e->ranks ? e->parallel : NAN;
	case FACTOR_BALANCE:
		return e->ranks ? e->balance : NAN;
	case FACTOR_COMMUNICATION:
		return e->ranks ? e->communication : NAN;
	case FACTOR_SERIALISATION:
		return e->ranks ? e->serialisation : NAN;
	case FACTOR_TRANSFER:
		return e->ranks ? e->transfer : NAN;
	}
	return NAN;
}

static int add_factor(struct gate_tests *tests, const struct rule *rule)
{
	const struct sides *s = &tests->sides;
	double *values = calloc(2 * s->count, sizeof(*values));
	struct gate_test test = { .rule = rule, .unit = UNIT_NS };
	int err = values ? 0 : no_memory();

	for (size_t r = 0; r < s->count && !err; r++) {
		struct efficiency e;
		double elapsed;

		err = efficiency_of(&e, s->runs[r]);
		if (!err)
			err = elapsed_of(&elapsed, s->runs[r]);
		if (err)
			break;
		values[r] = factor_of(&e, elapsed, rule->factor);
		if (isnan(values[r]))
			err = fail(-EINVAL,
				   "the rule '%s': a run without MPI, or whose "
				   "waiting is not known, has no such value",
				   rule->text);
	}
	if (!err) {
		comparison_of(&test.c, values, values + s->count, s->base,
			      s->count);
		err = add_test(tests, test, strdup("whole run"));
	}
	free(values);
	return err;
}

/* The most that findings of the rule would gain, and its words; 0: none. */
static int gain_of_rule(const struct run *run, const struct rule *rule,
			double *gain, char **text)
{
	const struct analysis_options own = { 0 };
	const struct run_metric *metric = analysis_metric(run, &own, NULL);
	struct blames blames;
	struct diagnosis d = { 0 };
	struct paths paths;
	int err = paths_init(&paths, run);

	*gain = 0;
	if (err)
		return err;
	err = wait_blames_init(&blames, &paths);
	if (!err)
		err = diagnosis_init(&d, &paths, &blames, metric, rule->glob);
	if (!err && d.count) {
		*gain = d.at[0].gain;
		free(*text);
		*text = strdup(d.at[0].text);
	}
	diagnosis_fini(&d);
	wait_blames_fini(&blames);
	paths_fini(&paths);
	return err;
}

/* It fails where most of the new runs have it, whatever those before had. */
static int add_rule_finding(struct gate_tests *tests, const struct rule *rule)
{
	const struct sides *s = &tests->sides;
	double *values = calloc(2 * s->count, sizeof(*values));
	struct gate_test test = { .rule = rule, .unit = UNIT_NS };
	char *text = NULL;
	size_t found = 0;
	int err = values ? 0 : no_memory();

	for (size_t r = 0; r < s->count && !err; r++) {
		err = gain_of_rule(s->runs[r], rule, &values[r], &text);
		found += r >= s->base && values[r] > 0;
	}
	if (!err) {
		comparison_of(&test.c, values, values + s->count, s->base,
			      s->count);
		test.c.more = NAN;
		if (!text)
			text = strdup("whole run");
		err = add_test(tests, test, text);
		text = NULL;
	}
	if (!err)
		tests->at[tests->count - 1].over =
			2 * found > s->count - s->base;
	free(text);
	free(values);
	return err;
}

static bool has_large_share(const struct comparison *c,
			    const struct comparison *all, double least)
{
	return c->base > least * all->base || c->now > least * all->now;
}

/* Of a path's callees that are over the limit, too. */
static int explain_tests(struct gate_tests *tests, const uint32_t *test_of)
{
	const struct path_union *u = &tests->sides.paths;
	double *change = calloc(u->count + 1, sizeof(*change));
	bool *explained = NULL;

	if (!change)
		return no_memory();
	for (size_t p = 0; p < u->count; p++)
		if (test_of[p] && tests->at[test_of[p] - 1].over)
			change[p] = tests->at[test_of[p] - 1].c.change;
	explained = path_union_explained(u, change);
	for (size_t p = 0; p < u->count && explained; p++)
		if (test_of[p])
			tests->at[test_of[p] - 1].explained = explained[p];
	free(change);
	free(explained);
	return explained ? 0 : -ENOMEM;
}

static int add_path_test(struct gate_tests *tests, struct gate_test test,
			 uint32_t path)
{
	const struct path_union *u = &tests->sides.paths;
	char *stack = path_union_stack(u, path);
	int err = 0;

	if (!stack)
		return no_memory();
	if (rule_fits(test.rule, stack, path_union_function(u, path)))
		err = add_test(tests, test, path_union_text(u, path));
	free(stack);
	return err;
}

static int add_paths(struct gate_tests *tests, const struct sides_values *v,
		     struct gate_test test, double least)
{
	const struct sides *s = &tests->sides;
	uint32_t *test_of = calloc(s->paths.count + 1, sizeof(*test_of));
	struct comparison all;
	int err = test_of ? 0 : no_memory();

	compare_sides_inclusive(&all, s, v, 0);
	for (uint32_t p = 1; p < s->paths.count && !err; p++) {
		size_t before = tests->count;

		compare_sides_inclusive(&test.c, s, v, p);
		if (has_large_share(&test.c, &all, least))
			err = add_path_test(tests, test, p);
		if (tests->count > before)
			test_of[p] = (uint32_t)tests->count;
	}
	if (!err)
		err = explain_tests(tests, test_of);
	free(test_of);
	return err;
}

static int add_functions(struct gate_tests *tests, const struct sides_values *v,
			 struct gate_test test, double least)
{
	const struct sides *s = &tests->sides;
	struct comparison all;
	struct functions f;
	int err = compare_functions_init(&f, s, v);

	compare_sides_inclusive(&all, s, v, 0);
	for (size_t i = 0; i < f.count && !err; i++) {
		const char *name = str_at(&s->paths.strings, f.name[i]);

		comparison_of(&test.c, f.values + i * s->count,
			      f.noise + i * s->count, s->base, s->count);
		if (has_large_share(&test.c, &all, least) &&
		    rule_fits(test.rule, name, name))
			err = add_test(tests, test, strdup(name));
	}
	compare_functions_fini(&f);
	return err;
}

int gate_tests_add(struct gate_tests *tests, const struct rule *rule,
		   const char *metric, double least)
{
	struct gate_test test = { .rule = rule };
	struct analysis_options options = { .metric = rule->metric
							      ? rule->metric
							      : metric };
	const struct run_metric *m;
	struct sides_values v;
	int err;

	if (rule->what == RULE_FACTOR)
		return add_factor(tests, rule);
	if (rule->what == RULE_FINDING)
		return add_rule_finding(tests, rule);
	m = compare_sides_choose(&tests->sides, &options);
	if (!m)
		return -EINVAL;
	test.metric = m->name;
	test.unit = m->unit;
	err = compare_values_init(&v, &tests->sides, m->name);
	if (!err && rule->what == RULE_TOTAL) {
		compare_sides_inclusive(&test.c, &tests->sides, &v, 0);
		err = add_test(tests, test, strdup("total"));
	} else if (!err && rule->what == RULE_PATH) {
		err = add_paths(tests, &v, test, least);
	} else if (!err) {
		err = add_functions(tests, &v, test, least);
	}
	compare_values_fini(&v);
	return err;
}

/* Unknown values fail, and sort first. */
static double p_of_test(const struct gate_test *t)
{
	return isnan(t->p) ? -1 : t->p;
}

ORDER_POINTERS_BY(by_p, struct gate_test,
		  ORDER(p_of_test(a), p_of_test(b)) ?: ORDER(a, b))

int gate_tests_judge(struct gate_tests *tests, double alpha)
{
	struct gate_test **by = calloc(tests->count + 1, sizeof(*by));

	if (!by)
		return no_memory();
	for (size_t i = 0; i < tests->count; i++)
		by[i] = &tests->at[i];
	qsort(by, tests->count, sizeof(*by), by_p);
	for (size_t i = 0; i < tests->count; i++) {
		if (p_of_test(by[i]) > alpha / (double)(tests->count - i))
			break;
		by[i]->failed = by[i]->over;
	}
	free(by);
	return 0;
}
