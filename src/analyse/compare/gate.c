/* SPDX-License-Identifier: BSD-3-Clause */
/* gate.c - rules, their tests and a report of the verdict. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/compare/gate-test.h"
#include "analyse/compare/gate.h"
#include "analyse/paths/idle-threads.h"
#include "analyse/base/phrase.h"
#include "analyse/base/value.h"
#include "base/err.h"

struct gating {
	const struct gate_options *gate;
	const struct analysis_options *options;
	struct rule *rules;
	size_t rule_count;
	struct gate_tests tests;
};

static size_t count_failed(const struct gating *g, const struct rule *rule)
{
	size_t count = 0;

	for (size_t i = 0; i < g->tests.count; i++)
		if (!rule || g->tests.at[i].rule == rule)
			count += g->tests.at[i].failed;
	return count;
}

static const char *change_text(char *to, size_t size, const struct gate_test *t)
{
	const char *sign = t->c.change < 0 ? "-" : "+";
	char relative[32], amount[32];

	comparison_text(relative, &t->c);
	if (t->rule->what == RULE_FINDING)
		snprintf(to, size, "%s to gain", phrase_time(amount, t->c.now));
	else if (t->rule->unit == RULE_POINTS)
		snprintf(to, size, "%+.1f points", 100 * t->c.change);
	else if (t->unit == UNIT_NS)
		snprintf(to, size, "%s (%s%s)", relative, sign,
			 phrase_time(amount, fabs(t->c.change)));
	else if (t->unit == UNIT_BYTES)
		snprintf(to, size, "%s (%s%s)", relative, sign,
			 phrase_bytes(amount, fabs(t->c.change)));
	else
		snprintf(to, size, "%s (%+.6g)", relative, t->c.change);
	return to;
}

static const char *tested_metric(const struct gate_test *t)
{
	return t->metric ? t->metric : "";
}

static void say_verdict(struct report *report, const struct gating *g)
{
	char tests[32], change[96];
	size_t failed = count_failed(g, NULL);

	phrase_plural(tests, g->tests.count, "test");
	if (!failed) {
		report_line(report, "Passed: none of %s failed.", tests);
		return;
	}
	report_line(report, "! Failed: %zu of %s.", failed, tests);
	for (size_t i = 0; i < g->tests.count; i++) {
		const struct gate_test *t = &g->tests.at[i];

		if (t->failed && !t->explained)
			report_line(report, "! %s%s%s: %s, by the rule %s",
				    tested_metric(t), t->metric ? " of " : "",
				    t->subject,
				    change_text(change, sizeof(change), t),
				    t->rule->text);
	}
}

static void rule_table(struct report *report, const struct gating *g)
{
	report_table(report, "rules", "rules");
	report_column(report, "rule", "rule", COLUMN_TEXT);
	report_column(report, "tests", "tests", COLUMN_COUNT);
	report_column(report, "failed", "failed", COLUMN_COUNT);
	for (size_t i = 0; i < g->rule_count; i++) {
		size_t tests = 0;

		for (size_t k = 0; k < g->tests.count; k++)
			tests += g->tests.at[k].rule == &g->rules[i];
		report_text(report, g->rules[i].text);
		report_count(report, tests);
		report_count(report, count_failed(g, &g->rules[i]));
	}
}

static const char *test_verdict(const struct gate_test *t)
{
	if (t->failed)
		return t->explained ? "failed, by what it calls" : "failed";
	return t->over ? "passed, within noise" : "passed";
}

static void test_columns(struct report *report)
{
	report_table(report, "tests", NULL);
	report_column(report, "rule", NULL, COLUMN_TEXT);
	report_column(report, "metric", NULL, COLUMN_TEXT);
	report_column(report, "subject", NULL, COLUMN_TEXT);
	report_column(report, "base", NULL, COLUMN_SECONDS);
	report_column(report, "new", NULL, COLUMN_SECONDS);
	report_column(report, "change", NULL, COLUMN_SECONDS);
	report_column(report, "margin", NULL, COLUMN_SECONDS);
	report_column(report, "relative", NULL, COLUMN_SHARE);
	report_column(report, "p", NULL, COLUMN_SECONDS);
	report_column(report, "limit", NULL, COLUMN_SECONDS);
	report_column(report, "verdict", NULL, COLUMN_TEXT);
}

static void test_rows(struct report *report, const struct gating *g)
{
	test_columns(report);
	for (size_t i = 0; i < g->tests.count; i++) {
		const struct gate_test *t = &g->tests.at[i];

		report_text(report, t->rule->text);
		report_text(report, t->metric);
		report_text(report, t->subject);
		report_number(report, t->c.base);
		report_number(report, t->c.now);
		report_number(report, t->c.change);
		value_known(report, t->c.margin);
		value_known(report, comparison_relative(&t->c));
		value_known(report, t->p);
		report_number(report, t->rule->limit);
		report_text(report, test_verdict(t));
	}
}

static void report_checks(struct report *report, const struct gating *g)
{
	char change[96], message[256];

	for (size_t i = 0; i < g->tests.count; i++) {
		const struct gate_test *t = &g->tests.at[i];

		snprintf(message, sizeof(message), "%s; base %.9g, new %.9g",
			 change_text(change, sizeof(change), t), t->c.base,
			 t->c.now);
		report_check(report, t->rule->text, t->subject, t->failed,
			     message);
	}
}

static void gate_notes(struct report *report, const struct gating *g)
{
	size_t unknown = 0;

	for (size_t i = 0; i < g->tests.count; i++)
		unknown += isnan(g->tests.at[i].p);
	report_note(
		report,
		"A test fails when the change exceeds its limit and the noise. "
		"If nothing changed, at most %.2g %% of all gates fail.",
		100 * (1 - g->gate->confidence));
	if (g->tests.sides.count < 3)
		report_note(report,
			    "! One run on each side does not show how much "
			    "runs vary; the noise is that of sampling alone%s.",
			    unknown ? ", and where there is none the limit "
				      "alone decides"
				    : "");
}

/* Once, if a test was of a metric that leaves something out. */
static void say_gate_idle(struct report *report, const struct gating *g)
{
	for (size_t i = 0; i < g->tests.count; i++) {
		const char *name = g->tests.at[i].metric;
		const struct run_metric *m =
			name ? compare_sides_metric(&g->tests.sides, name)
			     : NULL;

		if (!m || !m->idle)
			continue;
		idle_threads_say(report, g->tests.sides.runs, m->name);
		break;
	}
}

static struct report *new_gate_report(const struct gating *g)
{
	const struct sides *s = &g->tests.sides;
	char base[32], now[32], *title;
	struct report *report;

	phrase_plural(base, s->base, "run");
	phrase_plural(now, s->count - s->base, "run");
	title = str_format("gate · %s · %s → %s",
			   str_at(&s->runs[0]->strings, s->runs[0]->command),
			   base, now);
	report = title ? report_new("gate", title) : NULL;
	free(title);
	if (!report)
		no_memory();
	return report;
}

static int write_verdict(struct report **to, const struct gating *g)
{
	struct report *report = new_gate_report(g);

	if (!report)
		return -ENOMEM;
	*to = report;
	say_verdict(report, g);
	rule_table(report, g);
	test_rows(report, g);
	report_checks(report, g);
	gate_notes(report, g);
	say_gate_idle(report, g);
	return report_error(report);
}

static int read_rules(struct gating *g)
{
	int err = 0;

	while (g->gate->rules[g->rule_count])
		g->rule_count++;
	g->rules = calloc(g->rule_count + 1, sizeof(*g->rules));
	if (!g->rules)
		return no_memory();
	for (size_t i = 0; i < g->rule_count && !err; i++)
		err = rule_init(&g->rules[i], g->gate->rules[i]);
	return err;
}

/* A pattern that nothing fits would let all pass. */
static int add_tests(struct gating *g, const struct rule *rule)
{
	size_t before = g->tests.count;
	int err = gate_tests_add(&g->tests, rule, g->options->metric,
				 g->gate->least);

	if (err || g->tests.count > before)
		return err;
	return fail(-EINVAL,
		    "the rule '%s': no call path or function with %.3g %% of "
		    "the metric or more matches",
		    rule->text, 100 * g->gate->least);
}

int gate_run(struct report **to, bool *failed, const struct gate_options *gate,
	     const struct run *const runs[],
	     const struct analysis_options *options)
{
	struct gating g = { .gate = gate, .options = options };
	int err = read_rules(&g);

	if (!err)
		err = gate_tests_init(&g.tests, runs, options->base);
	for (size_t i = 0; i < g.rule_count && !err; i++)
		err = add_tests(&g, &g.rules[i]);
	if (!err)
		err = gate_tests_judge(&g.tests, 1 - gate->confidence);
	if (!err)
		err = write_verdict(to, &g);
	*failed = !err && count_failed(&g, NULL);
	gate_tests_fini(&g.tests);
	for (size_t i = 0; g.rules && i < g.rule_count; i++)
		rule_fini(&g.rules[i]);
	free(g.rules);
	return err;
}
