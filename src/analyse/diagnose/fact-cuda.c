/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fact-cuda.c - calls of CUDA that allocate, copy or wait, by the function of
 * the program that makes them: a row for each of the three.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/diagnose/facts.h"
#include "analyse/gpu/gpu-busy.h"
#include "analyse/gpu/gpu-work.h"
#include "analyse/paths/own-paths.h"
#include "analyse/base/value.h"
#include "base/err.h"
#include "base/gpu-calls.h"
#include "live/layout.h"

#define CALL_COST 1e-5 /* seconds, the most to begin a copy */

#define CUDA_FIELDS(FIELD)                                                     \
	FIELD(ALLOCATES, "allocates", NUMBER,                                  \
	      "1: allocates or frees memory, but not in order of a stream")    \
	FIELD(COPIES, "copies", NUMBER, "1: copies between host and GPU")      \
	FIELD(WAITS, "waits", NUMBER, "1: waits for GPUs, and copies nothing") \
	FIELD(CALLS, "calls", COUNT, "calls or copies, of all processes")      \
	FIELD(CALLS_EACH, "calls_each", COUNT, "of a process that used GPUs")  \
	FIELD(RATE, "rate", COUNT, "per second of such a process")             \
	FIELD(ALLOCATED, "allocated", BYTES, "by all these calls")             \
	FIELD(AT_ONCE, "at_once", SHARE,                                       \
	      "of that, what was live when most memory was: much of it where " \
	      "memory is allocated once; 0: not known")                        \
	FIELD(MOVED, "moved", BYTES, "copied")                                 \
	FIELD(SIZE, "size", BYTES, "mean of a copy")                           \
	FIELD(BANDWIDTH, "bandwidth", BYTES, "per second in which a copy ran") \
	FIELD(PAGEABLE, "pageable", SHARE,                                     \
	      "of the bytes, those in pageable memory of the host")            \
	FIELD(RETURNS, "returns", NUMBER,                                      \
	      "copies from the GPU that the function makes; of waits: for "    \
	      "each of them")                                                  \
	FIELD(EACH, "each", SECONDS, "mean time of a call")                    \
	FIELD(SECONDS, "seconds", SECONDS,                                     \
	      "in these calls, or of copies that no kernel hides, of all "     \
	      "processes; without each one's longest allocation, which may "   \
	      "set CUDA up")                                                   \
	FIELD(SHARE, "share", SHARE, "of these processes' time")               \
	FIELD(GPU_SECONDS, "gpu_seconds", SECONDS, "of copies on GPUs")        \
	FIELD(IDLE_BEHIND, "idle", SECONDS,                                    \
	      "GPUs had no work in the function that calls it, and in what "   \
	      "else that calls but MPI and allocations")                       \
	FIELD(SAVED, "saved", SECONDS,                                         \
	      "of a process: of a wait and the idle time, the less")           \
	FIELD(SAVED_SHARE, "saved_share", SHARE, "of the run's time")          \
	FIELD(CALL, "call", TEXT, "the function of CUDA with most time")       \
	FIELD(CALLER, "function", TEXT, "the function that calls it")

FACT_TABLE(cuda_fields, CUDA_FIELDS)

/* What is gathered from, and the sums that rows are compared with. */
struct cuda_source {
	const struct fact_source *from;
	struct gpu_busy busy;
	double *idle;   /* by path: inclusive, but of MPI and allocations */
	double overlap; /* of the time of copies, beside kernels: a share */
};

static bool allocates_memory(const char *name)
{
	static const char *const begins[] = { "Malloc",
					      "Free",
					      "MemAlloc",
					      "MemFree",
					      "HostAlloc",
					      "HostRegister",
					      "HostUnregister",
					      "MemHostAlloc",
					      "MemHostRegister",
					      "MemHostUnregister",
					      NULL };
	const char *verb = gpu_call_verb(name);

	if (strstr(verb, "Async") || strstr(verb, "FromPool"))
		return false;
	for (size_t i = 0; begins[i]; i++)
		if (!strncmp(verb, begins[i], strlen(begins[i])))
			return true;
	return false;
}

static bool copies_memory(const char *name)
{
	return !strncmp(gpu_call_verb(name), "Memcpy", 6);
}

/* The kind of a call; FIELDS: none of the three. */
static enum field kind_of_call(const char *name)
{
	if (copies_memory(name))
		return COPIES;
	if (gpu_call_waits(name))
		return WAITS;
	return allocates_memory(name) ? ALLOCATES : FIELDS;
}

/* The row of a call's caller, made at the first; NULL when out of memory. */
static struct fact *row_of_call(struct facts *to, const struct paths *paths,
				uint32_t call, enum field kind)
{
	uint32_t caller = paths_own(paths, paths->at[call].parent);
	struct fact *f;

	for (size_t i = 0; i < to->count; i++)
		if (to->at[i].path == caller && to->at[i].values[kind].number)
			return &to->at[i];
	f = facts_add(to, caller);
	if (!f)
		return NULL;
	f->values[kind].number = 1;
	f->values[CALL].text =
		strdup(paths_function(paths->run, paths->at[call].node));
	f->values[CALLER].text = paths_short(paths, caller, 2);
	return f->values[CALL].text && f->values[CALLER].text ? f : NULL;
}

/* The first call of a process sets CUDA up: that is no allocation's cost. */
static double time_of_call(const struct cuda_source *s,
			   const struct gpu_row *row, enum field kind)
{
	if (kind == WAITS)
		return row->waited;
	if (kind == ALLOCATES)
		return fmax(row->seconds - row->max * (double)s->busy.processes,
			    0);
	return row->seconds;
}

/* Copies are counted where they run (add_copies()). */
static int add_cuda_calls(struct facts *to, const struct cuda_source *s)
{
	const struct paths *paths = s->from->paths;
	struct gpu_work_rows work;
	int err = gpu_work_init(&work, paths, GPU_CALLS, false);

	for (size_t i = 0; i < work.count && !err; i++) {
		const struct gpu_row *row = &work.at[i];
		enum field kind = kind_of_call(
			str_at(&paths->run->strings, row->function));
		struct fact *f;

		if (kind == FIELDS)
			continue;
		f = row_of_call(to, paths, row->path, kind);
		if (!f) {
			err = no_memory();
			break;
		}
		if (kind != COPIES)
			f->values[CALLS].number += row->count;
		f->values[SECONDS].number += time_of_call(s, row, kind);
	}
	gpu_work_fini(&work);
	return err;
}

/* Between host and GPU: "[copy to GPU, pinned]". */
static bool crosses_link(const char *name)
{
	return !strncmp(name, "[copy to GPU", 12) ||
	       (!strncmp(name, "[copy from GPU", 14) &&
		strcmp(name, "[copy from GPU to GPU]") != 0);
}

static void add_copy(struct fact *f, const char *name,
		     const struct gpu_row *row)
{
	f->values[CALLS].number += row->count;
	f->values[MOVED].number += row->bytes;
	f->values[GPU_SECONDS].number += row->seconds;
	if (strstr(name, "pageable"))
		f->values[PAGEABLE].number += row->bytes;
	if (!strncmp(name, "[copy from", 10))
		f->values[RETURNS].number += row->count;
}

static int add_copies(struct facts *to, const struct cuda_source *s)
{
	const struct paths *paths = s->from->paths;
	struct gpu_work_rows work;
	int err = gpu_work_init(&work, paths, GPU_COPIES, false);

	for (size_t i = 0; i < work.count && !err; i++) {
		const struct gpu_row *row = &work.at[i];
		const char *name = str_at(&paths->run->strings, row->function);
		uint32_t call = paths->at[row->path].parent;
		struct fact *f;

		if (!crosses_link(name) ||
		    paths->run->nodes[paths->at[call].node].kind !=
			    RUN_GPU_CALL)
			continue;
		f = row_of_call(to, paths, call, COPIES);
		if (f)
			add_copy(f, name, row);
		else
			err = no_memory();
	}
	gpu_work_fini(&work);
	return err;
}

static int add_cuda_memory(struct facts *to, const struct cuda_source *s)
{
	const struct run *run = s->from->run;
	const struct run_metric *bytes =
		run_metric(run, metric_infos[METRIC_GPU_ALLOCATED].name);
	const struct run_metric *peak =
		run_metric(run, metric_infos[METRIC_GPU_AT_PEAK].name);

	for (uint32_t i = 0; bytes && peak && i < run->node_count; i++) {
		uint32_t call = run->nodes[i].parent;
		struct fact *f;

		if (run->nodes[i].kind != RUN_GPU_MEMORY ||
		    kind_of_call(
			    str_at(&run->strings, run->nodes[call].function)) !=
			    ALLOCATES)
			continue;
		f = row_of_call(to, s->from->paths, s->from->paths->of[call],
				ALLOCATES);
		if (!f)
			return no_memory();
		f->values[ALLOCATED].number += value_node(bytes, i);
		f->values[AT_ONCE].number += value_node(peak, i);
	}
	return 0;
}

/*
 * A copy that waits may wait for kernels before it, too, which is not its cost;
 * one that does not may run beside kernels.
 */
static void finish_copies(struct fact *f, const struct cuda_source *s)
{
	double gpu = f->values[GPU_SECONDS].number;
	double calls = f->values[CALLS].number;
	double host = fmin(f->values[SECONDS].number, gpu + calls * CALL_COST);
	double moved = f->values[MOVED].number;

	f->values[SECONDS].number = fmax(host, gpu * (1 - s->overlap));
	f->values[SIZE].number = value_ratio(moved, calls);
	f->values[BANDWIDTH].number = value_ratio(moved, gpu);
	f->values[PAGEABLE].number =
		value_ratio(f->values[PAGEABLE].number, moved);
}

/* Without the wait the process goes on, or the GPU does: at most the less. */
static void finish_waits(struct fact *f, const struct cuda_source *s,
			 const struct facts *all)
{
	uint32_t around = s->from->paths->at[f->path].parent;

	f->values[IDLE_BEHIND].number = s->idle[around];
	f->values[SAVED].number =
		value_ratio(fmin(f->values[SECONDS].number, s->idle[around]),
			    (double)s->busy.processes);
	for (size_t i = 0; i < all->count; i++)
		if (all->at[i].path == f->path &&
		    all->at[i].values[COPIES].number)
			f->values[RETURNS].number =
				value_ratio(all->at[i].values[RETURNS].number,
					    f->values[CALLS].number);
}

static void finish_cuda(struct fact *f, const struct cuda_source *s,
			const struct facts *all)
{
	double processes = (double)s->busy.processes;
	double elapsed = s->from->elapsed;

	if (f->values[COPIES].number)
		finish_copies(f, s);
	f->values[AT_ONCE].number = value_ratio(f->values[AT_ONCE].number,
						f->values[ALLOCATED].number);
	f->values[SAVED].number =
		value_ratio(f->values[SECONDS].number, processes);
	if (f->values[WAITS].number)
		finish_waits(f, s, all);
	f->values[SAVED].number = fmin(f->values[SAVED].number, elapsed);
	f->values[SAVED_SHARE].number =
		value_ratio(f->values[SAVED].number, elapsed);
	f->values[CALLS_EACH].number =
		value_ratio(f->values[CALLS].number, processes);
	f->values[RATE].number =
		value_ratio(f->values[CALLS_EACH].number, elapsed);
	f->values[EACH].number =
		value_ratio(f->values[SECONDS].number, f->values[CALLS].number);
	f->values[SHARE].number =
		value_ratio(f->values[SECONDS].number, elapsed * processes);
}

/* Time in MPI and allocations is not mended by another wait. */
static bool is_other_cause(const struct run *run, uint32_t node)
{
	return run->nodes[node].kind == RUN_MPI ||
	       (run->nodes[node].kind == RUN_GPU_CALL &&
		allocates_memory(
			str_at(&run->strings, run->nodes[node].function)));
}

/* A parent comes before its children. */
static int sum_idle_below(struct cuda_source *s)
{
	const struct paths *paths = s->from->paths;
	int err = gpu_idle_values(paths, s->idle, NULL);

	for (uint32_t i = (uint32_t)paths->count; i-- > 1;)
		if (!is_other_cause(paths->run, paths->at[i].node))
			s->idle[paths->at[i].parent] += s->idle[i];
	return err;
}

static double overlap_of(const struct run_gpu *g)
{
	double copies = 0, overlap = 0;

	for (size_t i = 0; i < g->device_count; i++) {
		copies += g->devices[i].copies_ns;
		overlap += g->devices[i].overlap_ns;
	}
	return fmin(value_ratio(overlap, copies), 1);
}

/* Nothing where no GPU was used, or it is not known to the end. */
static int gather_cuda(struct facts *to, struct fact_source *from)
{
	struct cuda_source s = { .from = from,
				 .busy = gpu_busy_of(from->run),
				 .overlap = overlap_of(&from->run->gpu) };
	int err = 0;

	if (!s.busy.devices || from->run->gpu.known_count)
		return 0;
	s.idle = calloc(from->paths->count + 1, sizeof(*s.idle));
	if (!s.idle)
		return no_memory();
	err = sum_idle_below(&s);
	if (!err)
		err = add_cuda_calls(to, &s);
	if (!err)
		err = add_copies(to, &s);
	if (!err)
		err = add_cuda_memory(to, &s);
	for (size_t i = 0; i < to->count && !err; i++)
		finish_cuda(&to->at[i], &s, to);
	free(s.idle);
	return err;
}

const struct fact_set fact_set_cuda = {
	.name = "cuda",
	.meaning = "calls of CUDA by one function: allocations, copies, waits",
	.fields = cuda_fields,
	.field_count = FIELDS,
	.counted = "calls_each",
	.gather = gather_cuda,
};
