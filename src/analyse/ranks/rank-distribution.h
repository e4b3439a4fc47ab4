/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rank-distribution.h - how values are spread over the ranks: each shape is a
 * model, and the one that explains most of the variance is taken.
 *
 * Explained is 1 - the variance that is left / the variance, each on its
 * degrees of freedom, so that a model with more to choose is no better for it.
 * Of outliers it is 1 - how far the others are apart / how far the outliers are
 * from them: one rank of thousands is a small part of the variance.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run/run.h"

enum shape_kind {   /* of equals the first is taken */
	SHAPE_NONE, /* fewer than three values */
	SHAPE_EVEN, /* within 5 % of the largest, or of what is worth it */
	SHAPE_ONE,  /* one differs */
	SHAPE_LINEAR,
	SHAPE_HOST,     /* by host */
	SHAPE_PERIODIC, /* every n-th one */
	SHAPE_BLOCK,    /* the first ones differ from the others */
	SHAPE_FEW,      /* several outliers */
	SHAPE_IRREGULAR,
};

struct shape {
	enum shape_kind kind;
	bool more;        /* ONE: more than the others; LINEAR: rising */
	size_t at;        /* ONE, HOST: the (first) one with the most; … */
	size_t period;    /* … PERIODIC: ranks at, at + period, … have it */
	size_t from, to;  /* BLOCK: those with more are from … to - 1 */
	double explained; /* 0 … 1 */
};

/* The processes that are compared, in order: what does not change. */
struct shapes {
	const struct run *run;
	const uint32_t *processes; /* indices into run->ranks */
	size_t count;
	uint32_t *host; /* of each, counted from 0 */
	size_t hosts;
	double *scratch;
	double least; /* a smaller difference, in the values' unit, is none */
};

/* 0, or -ENOMEM with a reason.  `processes` must outlive them. */
int distributions_init(struct shapes *shapes, const struct run *run,
		       const uint32_t *processes, size_t count, double least);
void distributions_fini(struct shapes *shapes);

/* Of `count` values.  0, or -ENOMEM with a reason. */
int distribution_of(struct shape *to, const struct shapes *shapes,
		    const double *values);

/* "one", "linear": a word for programs; NULL: none. */
const char *distribution_word(const struct shape *shape);

/*
 * "one rank: 3", "linear, rising", for readers: which have more.  To be freed;
 * NULL when out of memory.
 */
char *distribution_text(const struct shape *shape, const struct shapes *shapes,
			const double *values);
