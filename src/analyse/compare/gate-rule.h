/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gate-rule.h - "mpi.time in path(solve*) > 5%": when two sides of runs differ
 * too much.
 *
 *   [METRIC in] WHAT > LIMIT     it rose by more than that
 *   [METRIC in] WHAT < -LIMIT    it fell by more than that
 *   rule:NAME                    that rule (diagnose/rule.h) finds something in
 *                                most of the new runs
 */
#pragma once

#include <stdbool.h>

enum rule_what {
	RULE_TOTAL,    /* of the metric */
	RULE_PATH,     /* each call path that fits the pattern */
	RULE_FUNCTION, /* each function that fits, itself */
	RULE_FACTOR,   /* of efficiency: factor */
	RULE_FINDING,  /* of the rule `glob`, seconds to gain */
};

enum rule_factor {
	FACTOR_ELAPSED, /* seconds; the rest is a share */
	FACTOR_MPI_SHARE,
	FACTOR_EFFICIENCY,
	FACTOR_PARALLEL,
	FACTOR_BALANCE,
	FACTOR_COMMUNICATION,
	FACTOR_SERIALISATION,
	FACTOR_TRANSFER,
};

enum rule_unit {
	RULE_RELATIVE, /* to the base; limit 0.03 is 3 % */
	RULE_POINTS,   /* of a share; limit 0.03 is 3 percentage points */
	RULE_ABSOLUTE, /* in the unit of reports */
};

struct rule {
	char *text;   /* as it was given */
	char *metric; /* NULL: the gate's */
	char *glob;   /* of RULE_PATH and RULE_FUNCTION; a name */
	enum rule_what what;
	enum rule_factor factor;
	bool below;
	double limit;
	enum rule_unit unit;
};

/* 0; -EINVAL with a reason when `text` is no rule; -ENOMEM. */
int rule_init(struct rule *rule, const char *text);
void rule_fini(struct rule *rule);

/* With a ';' the pattern is of the whole path, else of its function. */
bool rule_fits(const struct rule *rule, const char *stack,
	       const char *function);
