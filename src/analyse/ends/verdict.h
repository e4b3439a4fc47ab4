/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * verdict.h - what is said of ranks that wait: the sentences of the rules in
 * share/rules/stuck, which are asked of what is known of a verdict.
 *
 * Of the rules that hold the one with most conditions is said, of several of
 * these the first by its name.
 */
#pragma once

#include "analyse/diagnose/rule.h"
#include "analyse/ends/wait-graph.h"
#include "analyse/paths/paths.h"

extern const struct rule_folder stuck_rules;

extern const char *const stand_words[]; /* by enum stand */

struct verdict_rules {
	struct diagnosis_rule **at;
	size_t count;
	char *problem; /* of one that was left out, or NULL */
};

struct verdict {
	const struct diagnosis_rule *rule; /* NULL: none holds */
	char *text; /* a sentence without a full stop, to be freed; NULL: nobody
		       waits */
};

/* 0, or -errno with a reason. */
int verdict_rules_init(struct verdict_rules *to);
void verdict_rules_fini(struct verdict_rules *rules);

/* The one that says most of it, or NULL.  0, or -errno with a reason. */
int verdict_rule(const struct diagnosis_rule **to,
		 const struct verdict_rules *rules, const struct fact *fact);

/* 0, or -errno with a reason. */
int verdict_find(struct verdict *to, const struct verdict_rules *rules,
		 const struct wait_graph *g, const struct paths *paths,
		 const struct wait_verdict *v);

/* Where it is, or was sampled last. */
uint32_t verdict_node(const struct standing *s);

/* "collective call 12 of all ranks"; to be freed, NULL: no memory. */
char *verdict_group_text(const struct wait_graph *g, uint32_t group);
