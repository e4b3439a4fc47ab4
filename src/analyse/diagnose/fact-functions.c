/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fact-functions.c - functions of the program, and what they spend in
 * libraries: what a library does counts for the function that called it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analyse/diagnose/facts.h"
#include "analyse/paths/function-callers.h"
#include "analyse/counters/hardware-events.h"
#include "analyse/base/interpreter.h"
#include "analyse/paths/library-use.h"
#include "analyse/base/python-words.h"
#include "analyse/paths/own-paths.h"
#include "analyse/base/value.h"
#include "base/err.h"
#include "run/split.h"
#include "run/startup.h"
#include "base/map.h"

#define SMALL         0.02 /* of the time: a function with less is left out */
#define GIVER         0.01 /* the same of one that copies for its caller */
#define STARTED       0.01 /* of the CPU time: that it was left out is said */
#define MAINLY_COPIES 0.5  /* of its time: it does little else */

#define FUNCTION_FIELDS(FIELD)                                                 \
	FIELD(TOTAL, "seconds", SECONDS,                                       \
	      "CPU time, with what libraries do for it")                       \
	FIELD(COPIES, "copies", SECONDS,                                       \
	      "CPU time of allocating, freeing, copying and constructing, "    \
	      "with functions that do little else")                            \
	FIELD(FORMATTING, "formatting", SECONDS,                               \
	      "of that: printf and its kind")                                  \
	FIELD(LOCKS, "locks", SECONDS,                                         \
	      "of that: locks and conditions of threads")                      \
	FIELD(FILES, "files", SECONDS, "of that: reading and writing files")   \
	FIELD(STARTING, "starting", SECONDS,                                   \
	      "of that: starting and joining threads, starting processes, "    \
	      "opening libraries, with what all that allocates and copies")    \
	FIELD(PATTERNS, "patterns", SECONDS,                                   \
	      "of that: compiling regular expressions of Python")              \
	FIELD(PICKLING, "pickling", SECONDS,                                   \
	      "of that: pickling objects of Python for other processes")       \
	FIELD(PACKING, "packing", SECONDS,                                     \
	      "Fortran's own CPU time on lines that call")                     \
	FIELD(BY_PYTHON, "by_python", SECONDS,                                 \
	      "of that: Python's interpreter itself")                          \
	FIELD(CPU_TIME, "cpu_time", TEXT,                                      \
	      "\"the CPU time\", and that it is without start-up")             \
	FIELD(SHARE, "share", SHARE, "of the CPU time behind start-up")        \
	FIELD(OF_TIME, "of_time", SHARE,                                       \
	      "of the time of all threads, but what they wanted a core for")   \
	FIELD(STARTING_SHARE, "starting_share", SHARE,                         \
	      "of the CPU time, that starting")                                \
	FIELD(COPY_SHARE, "copy_share", SHARE, "of the CPU time, copies")      \
	FIELD(PACKING_SHARE, "packing_share", SHARE,                           \
	      "of the CPU time, that packing")                                 \
	FIELD(PATTERNS_SHARE, "patterns_share", SHARE,                         \
	      "of the CPU time, those patterns")                               \
	FIELD(PICKLING_SHARE, "pickling_share", SHARE,                         \
	      "of the CPU time, that pickling")                                \
	FIELD(LOCK_SHARE, "lock_share", SHARE, "of the CPU time, in locks")    \
	FIELD(ELAPSED, "elapsed", SECONDS, "of the run")                       \
	FIELD(GAIN, "saved", SECONDS,                                          \
	      "elapsed time that goes with it, at most: that of the CPU time " \
	      "outside MPI, and what waits for it")                            \
	FIELD(STARTING_GAIN, "starting_saved", SECONDS,                        \
	      "the same of that starting")                                     \
	FIELD(COPY_GAIN, "copies_saved", SECONDS, "the same of its copies")    \
	FIELD(PATTERNS_GAIN, "patterns_saved", SECONDS,                        \
	      "the same of those patterns")                                    \
	FIELD(PICKLING_GAIN, "pickling_saved", SECONDS,                        \
	      "the same of that pickling")                                     \
	FIELD(PACKING_GAIN, "packing_saved", SECONDS,                          \
	      "the same of that packing")                                      \
	FIELD(CYCLES, "cycles", COUNT, "counted; 0: they were not")            \
	FIELD(INSTRUCTIONS, "instructions", COUNT, "the same")                 \
	FIELD(IPC, "instructions_per_cycle", NUMBER, "0: not known")           \
	FIELD(INTERPRETED, "interpreted", NUMBER,                              \
	      "1: it is in Python, 2: in its interpreter")                     \
	FIELD(FUNCTION, "function", TEXT,                                      \
	      "the function, and what calls it most")                          \
	FIELD(PLACE, "place", TEXT, "its most expensive line, or empty")       \
	FIELD(BESIDE, "beside", TEXT,                                          \
	      "\", at solve.c:42\": the same in a sentence, or empty")         \
	FIELD(MOSTLY, "mostly", TEXT,                                          \
	      "\", in table_open (25 %)\": functions that do no more than "    \
	      "copy for it, or empty")

FACT_TABLE(function_fields, FUNCTION_FIELDS)

static const enum field field_of[LIBRARY_PURPOSES] = {
	[LIBRARY_COPIES] = COPIES,     [LIBRARY_FORMATTING] = FORMATTING,
	[LIBRARY_LOCKS] = LOCKS,       [LIBRARY_FILES] = FILES,
	[LIBRARY_STARTING] = STARTING, [LIBRARY_PATTERNS] = PATTERNS,
	[LIBRARY_PICKLING] = PICKLING,
};

/* Seconds, their share of the CPU time, and what there is to gain. */
static const struct {
	enum field seconds, share, gain;
} weighed[] = {
	{ TOTAL, SHARE, GAIN },
	{ COPIES, COPY_SHARE, COPY_GAIN },
	{ STARTING, STARTING_SHARE, STARTING_GAIN },
	{ PATTERNS, PATTERNS_SHARE, PATTERNS_GAIN },
	{ PICKLING, PICKLING_SHARE, PICKLING_GAIN },
	{ PACKING, PACKING_SHARE, PACKING_GAIN },
};

/* What each path of the program's has, with libraries; and its copies. */
struct owned {
	double *seconds[FIELDS]; /* by path; NULL: not of a path */
	double *given; /* by functions that do little else than copy */
	uint32_t *main_giver;
	double *hottest; /* value of … */
	uint32_t *line;  /* … its node with the most */
	struct function_callers callers;
};

static void owned_fini(struct owned *o)
{
	for (size_t i = 0; i < FIELDS; i++)
		free(o->seconds[i]);
	free(o->given);
	free(o->main_giver);
	free(o->hottest);
	free(o->line);
	function_callers_fini(&o->callers);
}

static double interpreter_kind(const struct run *run, uint32_t node)
{
	if (python_owns(run, node))
		return 1;
	return interpreter_owns(run, node) ? 2 : 0;
}

static int owned_init(struct owned *o, const struct fact_source *from,
		      const struct library_use *uses, const double *own)
{
	const struct paths *paths = from->paths;
	static const enum field kept[] = { TOTAL,    COPIES,       FORMATTING,
					   LOCKS,    FILES,        STARTING,
					   PATTERNS, PICKLING,     PACKING,
					   CYCLES,   INSTRUCTIONS, BY_PYTHON };
	bool ok;

	*o = (struct owned){
		.given = calloc(paths->count + 1, sizeof(double)),
		.main_giver = calloc(paths->count + 1, sizeof(uint32_t)),
		.hottest = calloc(paths->count + 1, sizeof(double)),
		.line = calloc(paths->count + 1, sizeof(uint32_t)),
	};
	ok = o->given && o->main_giver && o->hottest && o->line;
	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++) {
		o->seconds[kept[i]] = calloc(paths->count + 1, sizeof(double));
		ok &= o->seconds[kept[i]] != NULL;
	}
	for (uint32_t p = 1; ok && p < paths->count; p++) {
		uint32_t owner = uses[p].owner;

		if (own[p] <= 0 || paths_waits(paths, p) ||
		    from->startup[paths->at[p].node] != STARTUP_NONE)
			continue;
		o->seconds[TOTAL][owner] += own[p];
		if (interpreter_kind(paths->run, paths->at[p].node))
			o->seconds[BY_PYTHON][owner] += own[p];
		if (field_of[uses[p].purpose] != TOTAL)
			o->seconds[field_of[uses[p].purpose]][owner] += own[p];
	}
	return ok ? 0 : no_memory();
}

static void find_lines(struct owned *o, const struct paths *paths,
		       const struct run_metric *metric)
{
	for (uint32_t n = 1; n < paths->run->node_count; n++) {
		uint32_t p = paths->of[n];
		double value = value_node(metric, n);

		if (paths->run->nodes[n].kind == RUN_LINE &&
		    value > o->hottest[p]) {
			o->hottest[p] = value;
			o->line[p] = n;
		}
	}
}

/* What was counted in each function, with libraries. */
static void add_events(double *to, const struct paths *paths,
		       const struct library_use *uses,
		       const struct run_metric *metric)
{
	for (uint32_t n = 1; metric && n < paths->run->node_count; n++) {
		uint32_t p = paths->of[n];

		if (!paths_waits(paths, p))
			to[uses[p].owner] += value_node(metric, n);
	}
}

static bool is_fortran_file(const char *file)
{
	const char *dot = strrchr(file, '.');

	return dot && !strncasecmp(dot, ".f", 2);
}

/*
 * What a line of Fortran takes itself that calls a function of the program or
 * of MPI: an array section whose elements are not beside each other is copied
 * before and after.  exp() and the like take no arrays.
 */
static int find_packing(struct owned *o, const struct paths *paths,
			const struct run_metric *metric)
{
	const struct run *run = paths->run;
	struct map calls = { 0 };
	int err = 0;

	for (uint32_t p = 1; p < paths->count && !err; p++) {
		const struct run_node *n = &run->nodes[paths->at[p].node];

		if (n->line && paths_is_own(run, paths->at[p].node) &&
		    is_fortran_file(str_at(&run->strings, n->file)) &&
		    map_put(&calls, paths->at[p].parent, n->line, p) ==
			    MAP_NONE)
			err = no_memory();
	}
	for (uint32_t i = 1; i < run->node_count && !err; i++)
		if (run->nodes[i].kind == RUN_LINE &&
		    map_get(&calls, paths->of[i], run->nodes[i].line) !=
			    MAP_NONE)
			o->seconds[PACKING][paths->of[i]] +=
				value_node(metric, i);
	map_fini(&calls);
	return err;
}

/*
 * A function that does little else than allocate, copy or free does so for its
 * caller: table_open() and table_close() of one that needs a table.
 */
static void give_copies(struct owned *o, const struct paths *paths,
			const struct library_use *uses, double least)
{
	for (uint32_t p = (uint32_t)paths->count; p-- > 1;) {
		uint32_t caller = uses[paths->at[p].parent].owner;
		double total = o->seconds[TOTAL][p];

		if (total < least || o->given[p] > 0 || !caller ||
		    o->seconds[COPIES][p] < MAINLY_COPIES * total ||
		    !paths->at[caller].parent)
			continue;
		o->given[caller] += total;
		o->seconds[TOTAL][p] = o->seconds[COPIES][p] = 0;
		if (!o->main_giver[caller] || total > o->given[caller] - total)
			o->main_giver[caller] = p;
	}
}

static void add_owned(struct fact *f, const struct owned *o, uint32_t path)
{
	double total = o->seconds[TOTAL][path];
	double copies = o->seconds[COPIES][path];

	for (size_t i = 0; i < FIELDS; i++)
		if (o->seconds[i] && i != COPIES)
			f->values[i].number += o->seconds[i][path];
	f->values[TOTAL].number += o->given[path];
	f->values[COPIES].number +=
		o->given[path] +
		(copies >= MAINLY_COPIES * total ? total : copies);
}

/* The path of a row is that of its callers, until it is finished. */
static int sum_by_function(struct facts *to, const struct fact_source *from,
			   struct owned *o)
{
	const struct paths *paths = from->paths;
	struct map facts = { 0 };
	int err = 0;

	o->callers.paths = paths;
	for (uint32_t p = 1; p < paths->count && !err; p++) {
		const struct run_node *n = &from->run->nodes[paths->at[p].node];
		double seconds = o->seconds[TOTAL][p] + o->given[p];
		uint32_t row, at;

		if (seconds <= 0 || n->kind != RUN_FUNCTION)
			continue;
		row = function_callers_add(&o->callers, p, seconds);
		at = map_put(&facts, row, 0, (uint32_t)to->count);
		if (row == MAP_NONE || at == MAP_NONE)
			err = no_memory();
		else if (at == to->count && !facts_add(to, row))
			err = -ENOMEM;
		else
			add_owned(&to->at[at], o, p);
	}
	map_fini(&facts);
	return err;
}

/*
 * ", most in table_open", unless that reads as the path's own function; to be
 * freed, NULL: out of memory.
 */
static char *giver_text(const struct fact_source *from, const struct owned *o,
			uint32_t path)
{
	uint32_t giver = o->main_giver[path];
	char *name = giver ? paths_short(from->paths, giver, 1) : NULL;
	char *path_name = giver ? paths_short(from->paths, path, 1) : NULL;
	char *text = giver ? NULL : strdup("");

	if (name && path_name && !strcmp(name, path_name))
		text = strdup("");
	else if (name && path_name)
		text = str_format(", most in %s", name);
	free(path_name);
	free(name);
	return text;
}

/* ", at solve.c:42"; to be freed, NULL: out of memory. */
static char *beside_text(const char *place)
{
	return place ? str_format(", at %s", place) : strdup("");
}

/* Seconds of all threads, as the split has them, but for want of cores. */
static double time_with_cores(const struct run *run)
{
	double ns = 0;

	for (size_t i = 0; i < run->split.rank_count; i++)
		if (run->split.ranks[i].part != SPLIT_CORE &&
		    run->split.ranks[i].part != SPLIT_START)
			ns += (double)run->split.ranks[i].ns;
	return ns / 1e9;
}

static int finish_function(struct fact *f, const struct fact_source *from,
			   const struct owned *o)
{
	uint32_t row = f->path, path = o->callers.at[row].path;
	uint32_t line = o->line[path]; /* 0, which has no file: unknown */
	const struct run_node *n = &from->run->nodes[line];

	f->path = path;
	for (size_t i = 0; i < sizeof(weighed) / sizeof(*weighed); i++) {
		double seconds = f->values[weighed[i].seconds].number;

		f->values[weighed[i].share].number =
			value_ratio(seconds, from->steady);
		f->values[weighed[i].gain].number =
			fact_saved(from, seconds, fact_work(from));
	}
	f->values[OF_TIME].number = value_ratio(f->values[TOTAL].number,
						time_with_cores(from->run));
	f->values[LOCK_SHARE].number =
		value_ratio(f->values[LOCKS].number, from->steady);
	f->values[IPC].number = value_ratio(f->values[INSTRUCTIONS].number,
					    f->values[CYCLES].number);
	f->values[ELAPSED].number = from->elapsed;
	f->values[INTERPRETED].number =
		interpreter_kind(from->run, from->paths->at[f->path].node);
	if (f->values[SHARE].number < SMALL)
		return 0;
	f->values[CPU_TIME].text =
		strdup(from->steady < (1 - STARTED) * from->sampled
			       ? "the CPU time behind start-up"
			       : "the CPU time");
	f->values[FUNCTION].text = function_callers_text(&o->callers, row);
	f->values[PLACE].text = paths_place(from->run, n->file, n->line);
	f->values[BESIDE].text = beside_text(f->values[PLACE].text);
	f->values[MOSTLY].text = giver_text(from, o, f->path);
	return f->values[CPU_TIME].text && f->values[FUNCTION].text &&
			       f->values[BESIDE].text && f->values[MOSTLY].text
		       ? 0
		       : no_memory();
}

static int gather_functions(struct facts *to, struct fact_source *from)
{
	const struct paths *paths = from->paths;
	double *own = calloc(paths->count + 1, sizeof(*own));
	struct library_use *uses = library_uses(paths);
	struct owned owned = { 0 };
	bool is_time = from->metric && from->metric->unit == UNIT_NS;
	int err = own && uses ? 0 : no_memory();

	if (!err && is_time) {
		paths_values(paths, from->metric, own, NULL);
		err = owned_init(&owned, from, uses, own);
	}
	if (!err && is_time) {
		find_lines(&owned, paths, from->metric);
		add_events(owned.seconds[CYCLES], paths, uses,
			   hardware_cycles(from->run));
		add_events(owned.seconds[INSTRUCTIONS], paths, uses,
			   hardware_instructions(from->run));
		err = find_packing(&owned, paths, from->metric);
	}
	if (!err && is_time) {
		give_copies(&owned, paths, uses, GIVER * from->steady);
		err = sum_by_function(to, from, &owned);
	}
	for (size_t i = 0; i < to->count && !err; i++)
		err = finish_function(&to->at[i], from, &owned);
	owned_fini(&owned);
	free(own);
	free(uses);
	return err;
}

const struct fact_set fact_set_functions = {
	.name = "functions",
	.meaning = "a function of the program, and what libraries do for it",
	.fields = function_fields,
	.field_count = FIELDS,
	.sampled = true,
	.gather = gather_functions,
};
