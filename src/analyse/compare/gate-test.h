/* SPDX-License-Identifier: BSD-3-Clause */
/* gate-test.h - the tests that a gate's rules make of two sides of runs. */
#pragma once

#include "analyse/compare/compare.h"
#include "analyse/compare/gate-rule.h"

struct gate_test {
	const struct rule *rule;
	char *subject;      /* "work ← solve ← main", "total" */
	const char *metric; /* of a run; NULL: none */
	enum unit unit;
	struct comparison c;
	double change;  /* in the rule's unit */
	double p;       /* NAN: noise is not known */
	bool over;      /* the limit */
	bool failed;    /* and beyond noise */
	bool explained; /* by what it calls, which fails as well */
};

struct gate_tests {
	struct sides sides;
	struct gate_test *at;
	size_t count, room;
};

/* 0, or -errno with a reason; gate_tests_fini() is due in either case. */
int gate_tests_init(struct gate_tests *tests, const struct run *const runs[],
		    size_t base);
void gate_tests_fini(struct gate_tests *tests);

/*
 * Adds the tests of a rule, which must outlive them.  `metric` is for rules
 * that name none, or NULL; `least` as in struct gate_options.  0;
 * -EINVAL with a reason when there is no such metric; -ENOMEM.
 */
int gate_tests_add(struct gate_tests *tests, const struct rule *rule,
		   const char *metric, double least);

/* Which of them fail, together wrong in one of 1 / alpha gates at most. */
int gate_tests_judge(struct gate_tests *tests, double alpha);
