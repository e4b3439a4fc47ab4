/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rule.h - what is worth saying of a run, and when: a text file NAME.rule.
 *
 *     title    many small messages
 *     about    exchanges
 *     part     mpi
 *     when     size < 1024
 *     when     share >= 0.05
 *     severe   rate > 100000
 *     when     function ~ MPI_@(Send|Bsend)
 *     gain     seconds / ranks
 *     cause    seconds
 *     say      {messages} messages of {size} from {function} take {share}
 *     advice   Pack what goes to one rank into one message.
 *     source   where the thresholds are from
 *
 *     All lines behind the first one that is empty and follows `source` are
 *     explained by `copse help NAME`: what it is, with an example.
 *
 * `about` names a set of facts (facts.h), whose fields the formulas
 * (analyse/base/formula.h) and the sentence use.  `part` is what it says of the
 * time (run/split.def): work, where it is not given.  All conditions have to
 * hold. The gain is in seconds of elapsed time; a rule without one is a remark:
 * what cannot be told, said once.  No gain is more than its cause, in seconds
 * of all ranks: `seconds`, where it is not given.  A finding is high above 30 %
 * of the run's time or where one `severe` holds, medium above 10 %, else low.
 * '#' begins a comment.  `~` matches a text by a shell's pattern (fnmatch(3),
 * FNM_EXTMATCH).  `sure` says how sure the rule is.
 *
 * Rules are looked for in the folder that $COPSE_RULES names, then in copse's
 * own; of two of one name the first counts.
 */
#pragma once

#include "analyse/diagnose/facts.h"
#include "analyse/split/time-split.h"
#include "base/share-file.h"

enum {
	RULE_CONDITIONS = 8
};

struct diagnosis_rule {
	char *text; /* holds all the strings */
	char *name;
	const char *title, *gain, *cause, *say, *advice, *source, *sure,
		*explain;
	const struct fact_set *about;
	enum split_part part;
	const char *when[RULE_CONDITIONS], *severe[RULE_CONDITIONS];
	size_t when_count, severe_count;
};

struct rule_folder {
	struct share_kind files;
	const struct fact_set *const *sets; /* that its rules are about */
};

extern const struct rule_folder diagnosis_rules; /* of copse report diagnose */

/* 0; -ENOENT, or -EINVAL with a reason that names the line; -ENOMEM. */
int diagnosis_rule_load(struct diagnosis_rule **to,
			const struct rule_folder *folder, const char *name);
void diagnosis_rule_free(struct diagnosis_rule *rule); /* NULL is fine */

/* As event_group_names(): of all rules. */
char **diagnosis_rule_names(const struct rule_folder *folder);

/* The conditions hold; -EINVAL with a reason. */
int diagnosis_rule_holds(const struct diagnosis_rule *rule,
			 const struct fact *fact, bool *holds);
int diagnosis_rule_is_severe(const struct diagnosis_rule *rule,
			     const struct fact *fact, bool *severe);
int diagnosis_rule_gain(const struct diagnosis_rule *rule,
			const struct fact *fact, double *seconds);
int diagnosis_rule_cause(const struct diagnosis_rule *rule,
			 const struct fact *fact, double *seconds);

/* The sentence, with the fact's values; to be freed, NULL: out of memory. */
char *diagnosis_rule_say(const struct diagnosis_rule *rule,
			 const struct fact *fact);
