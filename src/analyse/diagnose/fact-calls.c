/* SPDX-License-Identifier: BSD-3-Clause */
/* fact-calls.c - MPI calls, by the function of the program that makes them. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/diagnose/facts.h"
#include "analyse/mpi/efficiency.h"
#include "analyse/mpi/mpi-callsites.h"
#include "analyse/base/python-words.h"
#include "analyse/base/value.h"
#include "base/err.h"
#include "live/layout.h"
#include "run/split.h"

#define FRAMES       3
#define MUCH_BINDING 0.1 /* of the time of a call: worth a word */

#define CALL_FIELDS(FIELD)                                                     \
	FIELD(BARRIER, "barrier", NUMBER, "1: MPI_Barrier")                    \
	FIELD(POLL, "poll", NUMBER, "1: MPI_Test, MPI_Iprobe and their kind")  \
	FIELD(COLLECTIVE, "collective", NUMBER,                                \
	      "1: a collective call, but no barrier")                          \
	FIELD(GATHERS, "gathers", NUMBER,                                      \
	      "1: MPI_Allgather and its kind: each rank gets what all have")   \
	FIELD(MESSAGE, "message", NUMBER,                                      \
	      "1: sends or receives messages between two ranks, or waits for " \
	      "them; those of one function together")                          \
	FIELD(INDEPENDENT, "independent", NUMBER,                              \
	      "1: reads or writes a file of MPI, and is not collective")       \
	FIELD(CALLS, "calls", COUNT, "calls, of all ranks")                    \
	FIELD(RATE, "rate", COUNT, "calls per second of a rank")               \
	FIELD(SIZE, "size", BYTES, "mean of a call")                           \
	FIELD(EACH, "each", SECONDS, "mean time of a call")                    \
	FIELD(SECONDS, "seconds", SECONDS,                                     \
	      "in these calls, of all ranks, and in their binding")            \
	FIELD(BINDING, "binding", SECONDS,                                     \
	      "of these, CPU time between a function of Python's and MPI: "    \
	      "mpi4py, pickle")                                                \
	FIELD(WAITED, "waited", SECONDS, "of these, for ranks that were late") \
	FIELD(EXPLAINED, "explained", SHARE,                                   \
	      "of their time, waiting that a pattern explains")                \
	FIELD(SHARE, "share", SHARE, "of all ranks' time")                     \
	FIELD(GAIN, "saved", SECONDS,                                          \
	      "elapsed time that goes with them, at most")                     \
	FIELD(CROWDED, "crowded", SHARE,                                       \
	      "of all ranks' time, waiting for a core")                        \
	FIELD(RANKS, "count", NUMBER, "number of ranks")                       \
	FIELD(CALL, "call", TEXT, "the MPI function")                          \
	FIELD(CALLER, "function", TEXT, "the function that calls it")          \
	FIELD(PATH, "path", TEXT, "both, and the one above")                   \
	FIELD(BESIDE, "beside", TEXT,                                          \
	      "\", 42 % of it in the binding\", or empty")

FACT_TABLE(call_fields, CALL_FIELDS)

static bool is_one_of(const char *name, const char *const *words)
{
	for (; *words; words++)
		if (strstr(name, *words))
			return true;
	return false;
}

static void classify_call(struct fact *f, const struct call_site *site,
			  const char *name)
{
	static const char *const polls[] = { "_Test", "_Iprobe", "_Improbe",
					     NULL };
	static const char *const gathers[] = { "llgather", NULL };
	static const char *const moves[] = { "read", "write", NULL };
	static const char *const by_all[] = { "_all", "_ordered", NULL };
	bool poll = is_one_of(name, polls) && !strstr(name, "Test_cancelled");
	bool barrier = strcasestr(name, "barrier");

	f->values[POLL].number = poll;
	f->values[BARRIER].number = barrier;
	f->values[COLLECTIVE].number = site->class == LIVE_MPI_COLL && !barrier;
	f->values[GATHERS].number = is_one_of(name, gathers);
	f->values[INDEPENDENT].number = site->class == LIVE_MPI_IO &&
					is_one_of(name, moves) &&
					!is_one_of(name, by_all);
	f->values[MESSAGE].number = !poll && (site->class == LIVE_MPI_SEND ||
					      site->class == LIVE_MPI_RECV ||
					      site->class == LIVE_MPI_WAIT);
}

static double waited_at(const struct blames *b, uint32_t path)
{
	double seconds = 0;

	for (size_t i = 0; i < b->count; i++)
		if (b->at[i].victim == path)
			seconds += b->at[i].seconds;
	return seconds;
}

static bool metric_is_time(const struct fact_source *from)
{
	return from->metric && from->metric->unit == UNIT_NS;
}

/* What the user's function of Python calls to come to that call, or itself. */
static uint32_t binding_of(const struct paths *paths, uint32_t path)
{
	uint32_t caller = python_caller(paths, path), p = path;

	while (caller && caller != path && paths->at[p].parent != caller)
		p = paths->at[p].parent;
	return p;
}

static uint32_t caller_of(const struct paths *paths, uint32_t path)
{
	return paths->at[binding_of(paths, path)].parent;
}

/* Does `above` call it itself, or by at most `between` others? */
static bool calls_soon(const struct paths *paths, uint32_t above, uint32_t path,
		       unsigned between)
{
	for (unsigned i = 0; i <= between && path; i++) {
		if (path == above)
			return true;
		path = paths->at[path].parent;
	}
	return false;
}

/*
 * Messages of a function, and of what it calls: a send and its receive.  What
 * begins requests may be further below the one that waits for them.
 */
static bool same_exchange(const struct paths *paths, const struct fact *f,
			  const struct call_site *site)
{
	uint32_t caller = paths->at[f->path].parent;
	uint32_t this = paths->at[site->path].parent;
	bool waits =
		!strncmp(paths_function(paths->run, paths->at[f->path].node),
			 "MPI_Wait", strlen("MPI_Wait"));

	return calls_soon(paths, caller, this, waits ? 3 : 1) ||
	       calls_soon(paths, this, caller, 1);
}

/* Collective calls of one call of a package's, or of a function several times
 * and about as large. */
static bool same_collective(const struct paths *paths, const struct fact *f,
			    const struct call_site *site, const char *name)
{
	uint32_t binding = binding_of(paths, site->path);
	double size = f->values[SIZE].number;
	double this = value_ratio(site->moved, site->calls);

	if (binding == binding_of(paths, f->path))
		return true;
	return caller_of(paths, f->path) == caller_of(paths, site->path) &&
	       !strcmp(f->values[CALL].text, name) && this <= 2 * size &&
	       size <= 2 * this;
}

/* Polls of one function, whoever calls that one. */
static bool same_poll(const struct paths *paths, const struct fact *f,
		      const struct call_site *site, const char *name)
{
	const struct run_node *nodes = paths->run->nodes;
	uint32_t one = paths->at[f->path].parent;
	uint32_t other = paths->at[site->path].parent;

	return !strcmp(f->values[CALL].text, name) &&
	       nodes[paths->at[one].node].function ==
		       nodes[paths->at[other].node].function;
}

static struct fact *find_same_call_fact(struct facts *to,
					const struct paths *paths,
					const struct call_site *site,
					const struct fact *new,
					const char *name)
{
	for (size_t i = 0; i < to->count; i++) {
		struct fact *f = &to->at[i];

		if (new->values[MESSAGE].number > 0 &&
		    f->values[MESSAGE].number > 0 &&
		    same_exchange(paths, f, site))
			return f;
		if (new->values[POLL].number > 0 &&
		    f->values[POLL].number > 0 &&
		    same_poll(paths, f, site, name))
			return f;
		if (new->values[COLLECTIVE].number > 0 &&
		    f->values[COLLECTIVE].number > 0 &&
		    same_collective(paths, f, site, name))
			return f;
	}
	return NULL;
}

static double outside_mpi(const struct paths *paths, uint32_t path,
			  const double *own)
{
	uint32_t end = paths->at[path].end;
	double seconds = 0;

	for (uint32_t p = path; p < end;)
		if (paths->run->nodes[paths->at[p].node].kind == RUN_MPI)
			p = paths->at[p].end;
		else
			seconds += own[p++];
	return seconds;
}

/* bindings[]: seconds of the binding of each site; calls that share one have
 * parts of it as their times are. */
static int find_bindings(double *bindings, const struct fact_source *from,
			 const struct call_sites *sites)
{
	const struct paths *paths = from->paths;
	double *own = calloc(2 * (paths->count + 1), sizeof(*own));
	double *calls = own ? own + paths->count + 1 : NULL;

	if (!own)
		return no_memory();
	paths_values(paths, from->metric, own, NULL);
	for (size_t i = 0; i < sites->count; i++)
		calls[binding_of(paths, sites->at[i].path)] +=
			sites->at[i].seconds;
	for (size_t i = 0; i < sites->count; i++) {
		uint32_t path = binding_of(paths, sites->at[i].path);

		bindings[i] = value_ratio(sites->at[i].seconds, calls[path]) *
			      outside_mpi(paths, path, own);
	}
	free(own);
	return 0;
}

static void add_call(struct fact *f, const struct call_site *site,
		     double binding, const struct fact_source *from)
{
	const struct paths *paths = from->paths;
	double before = f->values[CALLS].number;
	double moved = f->values[SIZE].number * before + site->moved;
	double calls =
		binding_of(paths, f->path) == binding_of(paths, site->path)
			? fmax(before, site->calls)
			: before + site->calls;

	/* What waits for requests moves nothing. */
	if (site->class != LIVE_MPI_WAIT || !f->values[CALLS].number) {
		f->values[CALLS].number = calls;
		f->values[SIZE].number = value_ratio(moved, calls);
	}
	f->values[SECONDS].number += site->seconds + binding;
	f->values[BINDING].number += binding;
	f->values[WAITED].number += waited_at(from->blames, site->path);
	f->values[EXPLAINED].number += from->explained[site->path];
}

/* Seconds of the first threads of all ranks outside MPI. */
static double useful_seconds(const struct fact_source *from)
{
	double seconds = 0;

	for (size_t i = 0; i < from->run->member_count; i++)
		seconds += efficiency_useful(&from->run->ranks[i]);
	return seconds;
}

/* CPU time there: of all ranks, and the most that one has, of the mean. */
static int find_cpu_there(double *all, double *to,
			  const struct fact_source *from, uint32_t path)
{
	size_t count = from->skews.process_count;
	double *one = calloc(count + 1, sizeof(*one)), most = 0, sum = 0;
	int err = one ? imbalance_values(&from->skews, path, one) : no_memory();

	for (size_t i = 0; i < count && !err; i++) {
		most = fmax(most, one[i]);
		sum += one[i];
	}
	free(one);
	*all = sum;
	*to = fmax(value_ratio(most * (double)count, sum), 1);
	return err;
}

/*
 * Without the calls, the rest of the time in MPI is as much shorter as the run.
 * Where each rank has its core, none gets faster than by what it spent there;
 * else what only asks gives the cores back that it had.
 */
static int estimate_gain(struct fact *f, const struct fact_source *from)
{
	double seconds = f->values[SECONDS].number, most = 1, cpu = 0;
	double own = value_ratio(seconds, from->ranks);
	double rest = useful_seconds(from) - f->values[BINDING].number;
	int err = from->skews.process_count
			  ? find_cpu_there(&cpu, &most, from, f->path)
			  : 0;

	f->values[GAIN].number =
		value_ratio(seconds, seconds + rest) * from->elapsed;
	if (from->crowded <= FACTS_CROWDED)
		f->values[GAIN].number =
			fmin(f->values[GAIN].number, own * most);
	else if (f->values[POLL].number > 0 && cpu > 0)
		f->values[GAIN].number =
			fmin(f->values[GAIN].number, cpu / from->cores);
	return err;
}

static int finish_call(struct fact *f, const struct fact_source *from)
{
	double seconds = f->values[SECONDS].number;
	double binding = value_ratio(f->values[BINDING].number, seconds);

	f->values[EXPLAINED].number =
		value_ratio(f->values[EXPLAINED].number, seconds);
	f->values[EACH].number = value_ratio(seconds, f->values[CALLS].number);
	f->values[SHARE].number = value_ratio(seconds, from->seconds);
	f->values[RATE].number =
		value_ratio(f->values[CALLS].number, from->seconds);
	f->values[CROWDED].number = from->crowded;
	f->values[RANKS].number = from->ranks;
	f->values[BESIDE].text =
		binding >= MUCH_BINDING
			? str_format(", %.0f %% of it in what Python calls "
				     "around them",
				     100 * binding)
			: strdup(from->crowded > FACTS_CROWDED
					 ? ", waiting for a core included"
					 : "");
	return f->values[BESIDE].text ? 0 : no_memory();
}

/* Messages say more than the call that waits for them. */
static int name_call(struct fact *f, const struct paths *paths,
		     const struct call_site *site, const char *name)
{
	char *call = strdup(name);
	char *caller = paths_short(paths, paths->at[site->path].parent, 1);
	char *path = paths_short(paths, site->path, FRAMES);

	free(f->values[CALL].text);
	free(f->values[CALLER].text);
	free(f->values[PATH].text);
	f->values[CALL].text = call;
	f->values[CALLER].text = caller;
	f->values[PATH].text = path;
	return call && caller && path ? 0 : no_memory();
}

static int add_site(struct facts *to, const struct fact_source *from,
		    const struct call_site *site, double binding)
{
	const struct paths *paths = from->paths;
	const char *name = str_at(&from->run->strings, site->function);
	struct fact new = { .path = site->path }, *f;
	int err = 0;

	classify_call(&new, site, name);
	f = find_same_call_fact(to, paths, site, &new, name);
	if (!f) {
		f = facts_add(to, site->path);
		if (!f)
			return -ENOMEM;
		classify_call(f, site, name);
	}
	if (f->values[SIZE].number <= 0 &&
	    (!f->values[CALL].text || site->class != LIVE_MPI_WAIT))
		err = name_call(f, paths, site, name);
	add_call(f, site, binding, from);
	return err;
}

static int gather_calls(struct facts *to, struct fact_source *from)
{
	struct call_sites sites;
	int err = callsites_init(&sites, from->paths,
				 run_metric(from->run, "mpi.time"), false);
	double *bindings = NULL;

	if (err)
		return err;
	bindings = calloc(sites.count + 1, sizeof(*bindings));
	err = bindings ? 0 : no_memory();
	if (!err && metric_is_time(from))
		err = find_bindings(bindings, from, &sites);
	for (size_t i = 0; i < sites.count && !err; i++) {
		uint32_t node = from->paths->at[sites.at[i].path].node;

		if (sites.at[i].calls > 0 && !split_is_init(from->run, node))
			err = add_site(to, from, &sites.at[i], bindings[i]);
	}
	free(bindings);
	callsites_fini(&sites);
	for (size_t i = 0; i < to->count && !err; i++) {
		err = finish_call(&to->at[i], from);
		if (!err)
			err = estimate_gain(&to->at[i], from);
	}
	return err;
}

const struct fact_set fact_set_calls = {
	.name = "calls",
	.meaning = "an MPI call of the program, and one function's messages",
	.fields = call_fields,
	.field_count = FIELDS,
	.waits = true,
	.gather = gather_calls,
};
