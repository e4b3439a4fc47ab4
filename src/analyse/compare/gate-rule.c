/* SPDX-License-Identifier: BSD-3-Clause */
/* gate-rule.c - read a rule: its limit from the end, then what it is of. */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/compare/gate-rule.h"
#include "base/err.h"
#include "base/str.h"

static const char *const factors[] = {
	[FACTOR_ELAPSED] = "elapsed",
	[FACTOR_MPI_SHARE] = "mpi_share",
	[FACTOR_EFFICIENCY] = "efficiency",
	[FACTOR_PARALLEL] = "parallel_efficiency",
	[FACTOR_BALANCE] = "load_balance",
	[FACTOR_COMMUNICATION] = "communication_efficiency",
	[FACTOR_SERIALISATION] = "serialisation_efficiency",
	[FACTOR_TRANSFER] = "transfer_efficiency",
};

static const struct {
	const char *word;
	enum rule_unit unit;
	double factor;
} units[] = {
	{ "%", RULE_RELATIVE, 0.01 },  { "pp", RULE_POINTS, 0.01 },
	{ "s", RULE_ABSOLUTE, 1 },     { "ms", RULE_ABSOLUTE, 1e-3 },
	{ "us", RULE_ABSOLUTE, 1e-6 }, { "", RULE_ABSOLUTE, 1 },
};

/* A copy without blanks at either end; NULL when out of memory. */
static char *trimmed_copy(const char *text, size_t length)
{
	while (length && isspace((unsigned char)*text)) {
		text++;
		length--;
	}
	while (length && isspace((unsigned char)text[length - 1]))
		length--;
	return strndup(text, length);
}

static int wrong_rule(const struct rule *rule, const char *why)
{
	return fail(-EINVAL, "the rule '%s': %s", rule->text, why);
}

/* The last > or < that is in no parentheses. */
static const char *find_sign(const char *text)
{
	const char *close = strrchr(text, ')');

	return strpbrk(close ? close : text, "<>");
}

static int read_limit(struct rule *rule, const char *text)
{
	char *end, *word;
	int err;

	rule->limit = strtod(text, &end);
	if (end == text || !isfinite(rule->limit))
		return wrong_rule(rule, "a number has to follow > or <");
	word = trimmed_copy(end, strlen(end));
	if (!word)
		return no_memory();
	err = wrong_rule(rule,
			 "a limit is in %, pp, s, ms, us, or without a unit");
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (strcmp(word, units[i].word) != 0)
			continue;
		rule->unit = units[i].unit;
		rule->limit *= units[i].factor;
		err = 0;
		break;
	}
	free(word);
	return err;
}

/* "path(GLOB)": 1 and the pattern; 0: it is something else. */
static int read_pattern(struct rule *rule, const char *word, const char *name)
{
	size_t length = strlen(word), head = strlen(name);

	if (length < head + 2 || strncmp(word, name, head) != 0 ||
	    word[head] != '(' || word[length - 1] != ')')
		return 0;
	rule->glob = trimmed_copy(word + head + 1, length - head - 2);
	return rule->glob ? 1 : no_memory();
}

/* Any other word is a metric, whose total is meant. */
static int read_rule_word(struct rule *rule, char *word)
{
	int is;

	for (size_t i = 0; i < sizeof(factors) / sizeof(*factors); i++) {
		if (strcmp(word, factors[i]) != 0)
			continue;
		rule->what = RULE_FACTOR;
		rule->factor = (enum rule_factor)i;
		return rule->metric ? wrong_rule(rule, "this is of no metric")
				    : 0;
	}
	rule->what = RULE_PATH;
	is = read_pattern(rule, word, "path");
	if (is)
		return is < 0 ? is : 0;
	rule->what = RULE_FUNCTION;
	is = read_pattern(rule, word, "function");
	if (is)
		return is < 0 ? is : 0;
	rule->what = RULE_TOTAL;
	if (!strcmp(word, "total"))
		return 0;
	if (rule->metric || !*word || strpbrk(word, " ()<>"))
		return wrong_rule(
			rule,
			"a rule begins with total, a metric, path(...), "
			"function(...), elapsed, mpi_share or an efficiency");
	rule->metric = strdup(word);
	return rule->metric ? 0 : no_memory();
}

static int read_what(struct rule *rule, const char *text, size_t length)
{
	const char *in = strstr(text, " in ");
	char *word;
	int err;

	if (in && in < text + length) {
		rule->metric = trimmed_copy(text, (size_t)(in - text));
		if (!rule->metric)
			return no_memory();
		length -= (size_t)(in + 4 - text);
		text = in + 4;
	}
	word = trimmed_copy(text, length);
	if (!word)
		return no_memory();
	err = read_rule_word(rule, word);
	free(word);
	return err;
}

/* A per cent of a share could mean two things. */
static int check_unit(const struct rule *rule)
{
	bool share =
		rule->what == RULE_FACTOR && rule->factor != FACTOR_ELAPSED;

	if (share && rule->unit != RULE_POINTS)
		return wrong_rule(rule, "a share changes by percentage points: "
					"write 2pp");
	if (!share && rule->unit == RULE_POINTS)
		return wrong_rule(rule, "pp are for shares and efficiencies");
	return 0;
}

/* "rule:NAME" */
static int read_finding(struct rule *rule, const char *name)
{
	rule->what = RULE_FINDING;
	rule->unit = RULE_ABSOLUTE;
	rule->glob = strdup(name);
	return rule->glob ? 0 : no_memory();
}

int rule_init(struct rule *rule, const char *text)
{
	static const char finding[] = "rule:";
	const char *sign;
	int err;

	*rule = (struct rule){ .text = strdup(text) };
	if (!rule->text)
		return no_memory();
	if (!strncmp(rule->text, finding, strlen(finding)))
		return read_finding(rule, rule->text + strlen(finding));
	sign = find_sign(rule->text);
	if (!sign)
		return wrong_rule(rule,
				  "write 'WHAT > LIMIT' or 'WHAT < -LIMIT', "
				  "in quotes");
	rule->below = *sign == '<';
	err = read_limit(rule, sign + 1);
	if (!err)
		err = read_what(rule, rule->text, (size_t)(sign - rule->text));
	return err ? err : check_unit(rule);
}

void rule_fini(struct rule *rule)
{
	free(rule->text);
	free(rule->metric);
	free(rule->glob);
	*rule = (struct rule){ 0 };
}

bool rule_fits(const struct rule *rule, const char *stack, const char *function)
{
	return !fnmatch(rule->glob, strchr(rule->glob, ';') ? stack : function,
			0);
}
