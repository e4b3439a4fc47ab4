/* SPDX-License-Identifier: BSD-3-Clause */
/* rule.c - reading NAME.rule, and asking it of a fact. */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/diagnose/rule.h"
#include "analyse/base/formula.h"
#include "base/err.h"
#include "base/share-file.h"

const struct rule_folder diagnosis_rules = {
	.files = { .own = "COPSE_RULES",
		   .folder = "rules",
		   .installed = RULESDIR,
		   .suffix = ".rule" },
	.sets = fact_sets,
};

enum {
	MOST_TEXT = 65536
};

static int add_condition(const char **rows, size_t *count, const char *text)
{
	if (*count == RULE_CONDITIONS || !strpbrk(text, "<>=~"))
		return -EINVAL;
	rows[(*count)++] = text;
	return 0;
}

static int read_rule_line(struct diagnosis_rule *r, char *line,
			  const struct rule_folder *folder)
{
	const struct {
		const char *word, **to;
	} texts[] = {
		{ "title", &r->title },   { "gain", &r->gain },
		{ "say", &r->say },       { "advice", &r->advice },
		{ "source", &r->source }, { "sure", &r->sure },
		{ "cause", &r->cause },
	};
	char *rest;

	line = share_line(line, &rest);
	if (!*line)
		return 0;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (!strcmp(line, texts[i].word)) {
			*texts[i].to = rest;
			return 0;
		}
	if (!strcmp(line, "when"))
		return add_condition(r->when, &r->when_count, rest);
	if (!strcmp(line, "severe"))
		return add_condition(r->severe, &r->severe_count, rest);
	if (!strcmp(line, "part")) {
		r->part = time_part_find(rest);
		return r->part < SPLIT_PARTS ? 0 : -EINVAL;
	}
	if (!strcmp(line, "about"))
		r->about = fact_set_find(folder->sets, rest);
	return !strcmp(line, "about") && r->about ? 0 : -EINVAL;
}

static int read_rule_lines(struct diagnosis_rule *r,
			   const struct rule_folder *folder)
{
	char *line, *next = r->text;

	for (int number = 1; (line = strsep(&next, "\n")); number++) {
		if (r->source && !*line)
			break;
		if (read_rule_line(r, line, folder))
			return fail(-EINVAL,
				    "the rule %s, line %d: 'title', 'about', "
				    "'part', 'when', 'severe', 'gain', "
				    "'cause', 'say', 'advice', 'sure' "
				    "or 'source' is wanted, with a text that "
				    "fits (man copse-report-diagnose)",
				    r->name, number);
	}
	r->explain = next ? next : "";
	if (r->gain && !r->cause)
		r->cause = "seconds";
	if (r->title && r->about && r->when_count && r->say && r->advice &&
	    r->source)
		return 0;
	return fail(-EINVAL,
		    "the rule %s lacks its title, about, when, say, "
		    "advice or source",
		    r->name);
}

void diagnosis_rule_free(struct diagnosis_rule *rule)
{
	if (!rule)
		return;
	free(rule->name);
	free(rule->text);
	free(rule);
}

char **diagnosis_rule_names(const struct rule_folder *folder)
{
	return share_names(&folder->files);
}

struct rule_on {
	const struct fact_set *set;
	const struct fact *fact;
};

static bool fact_lookup(const void *from, const char *word, size_t length,
			double *value)
{
	const struct rule_on *on = from;
	int field = fact_field_find(on->set, word, length);

	if (field < 0 || on->set->fields[field].type == FACT_TEXT)
		return false;
	*value = on->fact->values[field].number;
	return true;
}

/* "function ~ MPI_File_*": a pattern as the shell's, of a text. */
static int pattern_holds(const char *text, const struct rule_on *on,
			 bool *holds)
{
	size_t length = strcspn(text, " ~");
	int field = fact_field_find(on->set, text, length);
	const char *pattern = strchr(text, '~') + 1, *value;

	if (field < 0 || on->set->fields[field].type != FACT_TEXT)
		return fail(-EINVAL, "'%.*s' is no text", (int)length, text);
	value = on->fact->values[field].text;
	*holds = !fnmatch(pattern + strspn(pattern, " "), value ? value : "",
			  FNM_EXTMATCH);
	return 0;
}

/* "share >= 0.05" */
static int formulas_hold(const char *text, const struct rule_on *on,
			 bool *holds)
{
	const char *sign = strpbrk(text, "<>=");
	bool equal = *sign == '=' || sign[1] == '=';
	const char *right = sign + 1 + (*sign != '=' && sign[1] == '=');
	char *left = strndup(text, (size_t)(sign - text));
	double a = 0, b = 0;
	int err = left ? formula_value(&a, left, fact_lookup, on) : no_memory();

	if (!err)
		err = formula_value(&b, right, fact_lookup, on);
	*holds = (equal && a == b) || (*sign == '<' && a < b) ||
		 (*sign == '>' && a > b);
	free(left);
	return err;
}

static int condition_holds(const char *text, const struct rule_on *on,
			   bool *holds)
{
	return strchr(text, '~') ? pattern_holds(text, on, holds)
				 : formulas_hold(text, on, holds);
}

int diagnosis_rule_holds(const struct diagnosis_rule *rule,
			 const struct fact *fact, bool *holds)
{
	struct rule_on on = { rule->about, fact };
	int err = 0;

	*holds = true;
	for (size_t i = 0; i < rule->when_count && *holds && !err; i++)
		err = condition_holds(rule->when[i], &on, holds);
	return err;
}

int diagnosis_rule_is_severe(const struct diagnosis_rule *rule,
			     const struct fact *fact, bool *severe)
{
	struct rule_on on = { rule->about, fact };
	int err = 0;

	*severe = false;
	for (size_t i = 0; i < rule->severe_count && !*severe && !err; i++)
		err = condition_holds(rule->severe[i], &on, severe);
	return err;
}

static int seconds_by_formula(const char *formula,
			      const struct diagnosis_rule *rule,
			      const struct fact *fact, double *seconds)
{
	struct rule_on on = { rule->about, fact };
	int err = formula_value(seconds, formula, fact_lookup, &on);

	if (!isfinite(*seconds) || *seconds < 0)
		*seconds = 0;
	return err;
}

int diagnosis_rule_gain(const struct diagnosis_rule *rule,
			const struct fact *fact, double *seconds)
{
	return seconds_by_formula(rule->gain, rule, fact, seconds);
}

int diagnosis_rule_cause(const struct diagnosis_rule *rule,
			 const struct fact *fact, double *seconds)
{
	return seconds_by_formula(rule->cause, rule, fact, seconds);
}

/* At the '{' of "{size}": its value; what is no field stays as it is. */
static const char *put_field(FILE *to, const struct diagnosis_rule *rule,
			     const struct fact *fact, const char *at)
{
	size_t length = strcspn(at + 1, "}");
	int field = fact_field_find(rule->about, at + 1, length);
	char *text =
		field < 0 ? NULL : fact_text(rule->about, fact, (size_t)field);

	if (!text) {
		fputc(*at, to);
		return at + 1;
	}
	fputs(text, to);
	free(text);
	return at + 1 + length + (at[1 + length] == '}');
}

char *diagnosis_rule_say(const struct diagnosis_rule *rule,
			 const struct fact *fact)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	const char *at = rule->say;

	if (!to)
		return NULL;
	while (*at)
		if (*at == '{')
			at = put_field(to, rule, fact, at);
		else
			fputc(*at++, to);
	fclose(to);
	/* "rank 3", not a function's name. */
	if (text && !strncmp(rule->say, "{ranks}", strlen("{ranks}")))
		*text = (char)toupper((unsigned char)*text);
	return text;
}

/* Whether all of its formulas are understood: by a fact of which all is 0. */
static int try_formulas(const struct diagnosis_rule *r)
{
	struct rule_on on = { r->about, &(struct fact){ 0 } };
	double gain;
	bool holds;
	int err = 0;

	for (size_t i = 0; i < r->when_count && !err; i++)
		err = condition_holds(r->when[i], &on, &holds);
	for (size_t i = 0; i < r->severe_count && !err; i++)
		err = condition_holds(r->severe[i], &on, &holds);
	if (!err && r->gain)
		err = diagnosis_rule_gain(r, on.fact, &gain);
	if (!err && r->gain)
		err = diagnosis_rule_cause(r, on.fact, &gain);
	return err ? fail(err, "the rule %s: %s", r->name, fail_reason()) : 0;
}

int diagnosis_rule_load(struct diagnosis_rule **to,
			const struct rule_folder *folder, const char *name)
{
	FILE *from = share_open(&folder->files, name);
	struct diagnosis_rule *r;
	int err;

	if (!from && errno == EINVAL)
		return fail(-EINVAL, "the rule %s is no regular file", name);
	if (!from)
		return fail(-ENOENT, "no rule '%s'", name);
	r = calloc(1, sizeof(*r));
	if (r) {
		r->name = strdup(name);
		r->text = calloc(1, MOST_TEXT);
	}
	if (!r || !r->name || !r->text) {
		err = no_memory();
	} else {
		r->text[fread(r->text, 1, MOST_TEXT - 1, from)] = 0;
		err = read_rule_lines(r, folder);
		if (!err)
			err = try_formulas(r);
	}
	fclose(from);
	if (err)
		diagnosis_rule_free(r);
	else
		*to = r;
	return err;
}
