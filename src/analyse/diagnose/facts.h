/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * facts.h - what rules (rule.h) look at: sets of facts, a row for each call
 * site, function or pattern of waiting, and for the whole run.
 *
 * A set is a table of fields and a function that gathers its rows.  Each field
 * has a name, by which formulas and sentences of rules use it, and a type,
 * which says how a sentence writes it.
 *
 * Ownership   The source and all that it points to must outlive the facts.
 */
#pragma once

#include "analyse/mpi/efficiency.h"
#include "analyse/mpi/wait-causes.h"
#include "analyse/ranks/path-imbalance.h"

enum fact_type {
	FACT_NUMBER,
	FACT_COUNT,   /* "14.8 million" */
	FACT_SECONDS, /* "2.10 s" */
	FACT_BYTES,   /* "8 B" */
	FACT_SHARE,   /* 0 … 1, "41 %" */
	FACT_TEXT
};

struct fact_field {
	const char *name;
	enum fact_type type;
	const char *meaning;
};

/*
 * FACT_TABLE(table, LIST): the fields of a set, from a list of
 * FIELD(constant, name, type, meaning): `enum field`, and their table.
 */
#define FACT_TABLE(table, LIST)                                                \
	enum field {                                                           \
		LIST(FACT_CONSTANT) FIELDS                                     \
	};                                                                     \
	_Static_assert((int)FIELDS <= (int)FACT_FIELDS, "no room for fields"); \
	static const struct fact_field table[FIELDS] = { LIST(FACT_ROW) };
#define FACT_CONSTANT(constant, ...)            constant,
#define FACT_ROW(constant, name, type, meaning) { name, FACT_##type, meaning },

enum {
	FACT_FIELDS = 40
};

struct fact {
	uint32_t path; /* what it is on; 0: the run */
	char *rows;    /* "0-2,5": the run's ranks that it names; or NULL */
	struct {
		double number;
		char *text; /* owned */
	} values[FACT_FIELDS];
};

struct facts {
	struct fact *at;
	size_t count, room;
};

/* What facts are gathered from. */
struct fact_source {
	const struct run *run;
	const struct paths *paths;
	const struct blames *blames;
	const struct run_metric
		*metric; /* the time that was sampled, or NULL */
	struct efficiency e;
	struct skews skews; /* of the metric; no process: none */
	double elapsed;     /* seconds, from MPI_Init on where there is MPI */
	double ranks;
	double seconds;   /* of all ranks, their start included */
	double sampled;   /* seconds of the metric, over all ranks, … */
	double steady;    /* … but in what starts the program */
	uint8_t *startup; /* by node: enum startup_kind */
	double cores;     /* that ranks had, over all hosts; 0: not known */
	double crowded;   /* share of their time that ranks waited for a core */
	bool starved; /* by others: their time says nothing of the program */
	double *explained; /* by path: seconds waited there with a known cause
			    */
};

/* 0, or -errno with a reason. */
int fact_source_init(struct fact_source *to, const struct paths *paths,
		     const struct blames *blames,
		     const struct run_metric *metric);
void fact_source_fini(struct fact_source *source);

/* crowded by more: waiting is in part for cores */
#define FACTS_CROWDED 0.1

struct fact_set {
	const char *name, *meaning;
	const struct fact_field *fields;
	size_t field_count;
	bool waits;   /* its facts are time in MPI, mostly waiting */
	bool sampled; /* they are of samples: with few nothing is known */
	bool no_time; /* of something else: said, too, if time is lost */
	/* The field that counts what its facts were seen by: of few of them no
	   rule speaks; NULL: once is enough. */
	const char *counted;
	/* 0, or -ENOMEM with a reason. */
	int (*gather)(struct facts *to, struct fact_source *from);
};

/* In the order in which they are gathered, ended by NULL. */
extern const struct fact_set *const fact_sets[];

/* Of some of them, ended by NULL; NULL: there is none of that name. */
const struct fact_set *fact_set_find(const struct fact_set *const *sets,
				     const char *name);

/* A new row, all 0; NULL when out of memory. */
struct fact *facts_add(struct facts *facts, uint32_t path);
void facts_fini(struct facts *facts);

/* It names these: indices into run->ranks, sorted.  false: out of memory. */
bool fact_name_ranks(struct fact *fact, const uint32_t *ranks, size_t count);

/*
 * Seconds that the run needs at least when what ranks do outside MPI stays as
 * it is.  even: any rank may do it; else each does its own.
 */
double fact_least_elapsed(const struct fact_source *from, bool even);

/*
 * Elapsed seconds that go with `part` of `work`, both seconds of all ranks:
 * what ranks wait for work shrinks with it, what moves data does not.  Where
 * the two cannot be told apart, no time in MPI does.  No more than `part`.
 */
double fact_saved(const struct fact_source *from, double part, double work);

/* CPU seconds of all ranks outside MPI; without MPI, all. */
double fact_work(const struct fact_source *from);

/* The value in words; to be freed, NULL when out of memory. */
char *fact_text(const struct fact_set *set, const struct fact *fact,
		size_t field);

/* The field of that name, or -1. */
int fact_field_find(const struct fact_set *set, const char *name,
		    size_t length);
