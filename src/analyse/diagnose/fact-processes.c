/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fact-processes.c - what the system counted for all processes: time in the
 * kernel, page faults, and how often threads blocked.  No count says where, so
 * the functions that it names are likely, not certain.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/diagnose/facts.h"
#include "analyse/base/value.h"
#include "base/err.h"
#include "base/str.h"
#include "run/startup.h"

/* Seconds; of a fresh page of 4 KiB. */
#define FAULT        2e-6   /* in the kernel, at most */
#define FAULT_COLD   0.4e-6 /* outside: it is in no cache */
#define FAULTS_START 2000   /* of a process, before it begins its work */
#define SWITCH       1e-5   /* the most for one thread's, with its wake-up */
#define FRAMES       3

#define PROCESS_FIELDS(FIELD)                                                  \
	FIELD(SYSTEM, "system", SECONDS,                                       \
	      "CPU time in the kernel, of all ranks and of what they started") \
	FIELD(SYSTEM_SHARE, "system_share", SHARE, "of all CPU time")          \
	FIELD(FAULTS, "faults", COUNT,                                         \
	      "page faults, less 2000 for the start of each process")          \
	FIELD(FAULT_RATE, "fault_rate", COUNT, "per second and rank")          \
	FIELD(FAULT_TIME, "fault_time", SECONDS,                               \
	      "estimated: all time in the kernel, at most 2 µs for each, "    \
	      "and 0.4 µs outside, less all CPU time of start-up and of "     \
	      "calls of CUDA, which may have had it")                          \
	FIELD(FAULT_SHARE, "fault_share", SHARE,                               \
	      "of the time that ranks had a core, that in the kernel")         \
	FIELD(FAULT_GAIN, "faults_saved", SECONDS,                             \
	      "elapsed time that goes with that")                              \
	FIELD(SWITCHES, "switches", COUNT, "times that a thread blocked")      \
	FIELD(SWITCH_RATE, "switch_rate", COUNT, "per second and rank")        \
	FIELD(SWITCH_TIME, "switch_time", SECONDS,                             \
	      "estimated: all time in the kernel, and that cores were idle, "  \
	      "at most 10 µs for each")                                        \
	FIELD(SWITCH_SHARE, "switch_share", SHARE,                             \
	      "of the time that ranks had a core")                             \
	FIELD(THREADS, "threads", NUMBER, "of a rank, on average")             \
	FIELD(RANKS, "count", NUMBER, "number of ranks")                       \
	FIELD(BUSY, "at_once", NUMBER,                                         \
	      "ranks that can run at once: with fewer cores, as many")         \
	FIELD(ELAPSED, "elapsed", SECONDS, "of the run")                       \
	FIELD(RANK_SECONDS, "rank_seconds", SECONDS, "of all ranks")           \
	FIELD(LOCKS, "locks", SECONDS,                                         \
	      "CPU time in locks and conditions of threads")                   \
	FIELD(LOCK_SHARE, "lock_share", SHARE, "of the sampled CPU time")      \
	FIELD(LOCK_FUNCTION, "lock_function", TEXT,                            \
	      "the function with most of it")                                  \
	FIELD(FUNCTION, "function", TEXT,                                      \
	      "the function with most CPU time outside MPI")

FACT_TABLE(process_fields, PROCESS_FIELDS)

/* Only one row of each `copse run` has what the system counted. */
static double add_counts(struct fact *f, const struct run *run)
{
	double started = FAULTS_START * (double)run->rank_count;
	double user = 0;

	for (size_t i = 0; i < run->rank_count; i++) {
		const struct run_rank *r = &run->ranks[i];

		user += (double)r->family.user_ns / 1e9;
		f->values[SYSTEM].number += (double)r->family.system_ns / 1e9;
		f->values[FAULTS].number += (double)r->family.faults;
		f->values[SWITCHES].number += (double)r->family.switches;
		if (i < run->member_count)
			f->values[THREADS].number += r->threads;
	}
	f->values[FAULTS].number = fmax(f->values[FAULTS].number - started, 0);
	f->values[THREADS].number = value_ratio(f->values[THREADS].number,
						(double)run->member_count);
	return user + f->values[SYSTEM].number;
}

/* The driver's own, which a program cannot mend. */
static bool is_in_driver(const struct run *run, uint32_t node)
{
	const char *base =
		str_base(str_at(&run->strings, run->nodes[node].module));

	return run->nodes[node].kind == RUN_GPU_CALL ||
	       !strncmp(base, "libcuda.so", strlen("libcuda.so")) ||
	       !strncmp(base, "libnvidia-", strlen("libnvidia-"));
}

/* CPU seconds of start-up, of calls of CUDA and of its driver; < 0: no memory.
 */
static double seconds_beside(const struct fact_source *from)
{
	const struct run *run = from->run;
	bool *beside = calloc(run->node_count + 1, sizeof(*beside));
	double seconds = 0;

	if (!beside)
		return -1;
	for (uint32_t n = 1; from->metric && n < run->node_count; n++) {
		beside[n] = from->startup[n] != STARTUP_NONE ||
			    beside[run->nodes[n].parent] ||
			    is_in_driver(run, n);
		if (beside[n])
			seconds += value_node(from->metric, n);
	}
	free(beside);
	return seconds;
}

/* With fewer cores than ranks, rates are of those that can run at once. */
static int set_rates(struct fact *f, const struct fact_source *from, double cpu)
{
	double at_once =
		from->cores > 0 ? fmin(from->ranks, from->cores) : from->ranks;
	double busy = fmax(at_once, value_ratio(cpu, from->elapsed));
	double able = from->elapsed * busy;
	double system = f->values[SYSTEM].number;
	double faults = f->values[FAULTS].number;
	double switches = f->values[SWITCHES].number;
	double most = fmin(system, faults * FAULT);
	double beside = seconds_beside(from), inside;

	if (beside < 0)
		return no_memory();
	inside = fmax(most - beside, 0);
	f->values[FAULT_TIME].number =
		inside + value_ratio(inside, most) * faults * FAULT_COLD;
	f->values[SWITCH_TIME].number =
		fmin(system + fmax(able - cpu, 0), switches * SWITCH);
	f->values[FAULT_GAIN].number =
		fact_saved(from, f->values[FAULT_TIME].number, fact_work(from));
	f->values[FAULT_RATE].number = value_ratio(faults, able);
	f->values[SWITCH_RATE].number = value_ratio(switches, able);
	f->values[FAULT_SHARE].number = value_ratio(inside, able);
	f->values[SWITCH_SHARE].number =
		value_ratio(f->values[SWITCH_TIME].number, able);
	f->values[RANKS].number = from->ranks;
	f->values[BUSY].number = busy;
	f->values[ELAPSED].number = from->elapsed;
	f->values[RANK_SECONDS].number = from->seconds;
	return 0;
}

/* The function with most of that field, by its path; 0: none has any. */
static uint32_t path_with_most_of(const struct facts *functions,
				  const struct fact_set *set, const char *name)
{
	int field = fact_field_find(set, name, strlen(name));
	double most = 0;
	uint32_t path = 0;

	for (size_t i = 0; field >= 0 && i < functions->count; i++)
		if (functions->at[i].values[field].number > most) {
			most = functions->at[i].values[field].number;
			path = functions->at[i].path;
		}
	return path;
}

static char *name_path(const struct fact_source *from, uint32_t path)
{
	return path ? paths_short(from->paths, path, FRAMES)
		    : strdup("a function that is not known");
}

static int name_functions(struct fact *f, struct fact_source *from)
{
	const struct fact_set *set = fact_set_find(fact_sets, "functions");
	struct facts functions = { 0 };
	int locks = fact_field_find(set, "locks", strlen("locks"));
	int err = set->gather(&functions, from);

	for (size_t i = 0; i < functions.count && !err; i++)
		f->values[LOCKS].number += functions.at[i].values[locks].number;
	f->values[LOCK_SHARE].number =
		value_ratio(f->values[LOCKS].number, from->steady);
	if (!err) {
		f->values[FUNCTION].text = name_path(
			from, path_with_most_of(&functions, set, "seconds"));
		f->values[LOCK_FUNCTION].text = name_path(
			from, path_with_most_of(&functions, set, "locks"));
		if (!f->values[FUNCTION].text || !f->values[LOCK_FUNCTION].text)
			err = no_memory();
	}
	facts_fini(&functions);
	return err;
}

/* Nothing where the system's counts are not known. */
static int gather_processes(struct facts *to, struct fact_source *from)
{
	struct fact counts = { 0 }, *f;
	double cpu = add_counts(&counts, from->run);

	if (cpu <= 0)
		return 0;
	f = facts_add(to, 0);
	if (!f)
		return no_memory();
	*f = counts;
	f->values[SYSTEM_SHARE].number =
		value_ratio(f->values[SYSTEM].number, cpu);
	return set_rates(f, from, cpu) ? -ENOMEM : name_functions(f, from);
}

const struct fact_set fact_set_processes = {
	.name = "processes",
	.meaning = "the run: what the system counted for all its processes",
	.fields = process_fields,
	.field_count = FIELDS,
	.sampled = true,
	.gather = gather_processes,
};
