/* SPDX-License-Identifier: BSD-3-Clause */
/* job-metrics.c - see job-metrics.h. */
#include "analyse/compare/job-metrics.h"

#include "analyse/base/processes.h"
#include "analyse/base/value.h"
#include "analyse/compare/recent-looks.h"
#include "profile/profile.h"

#define NS 1e9

/* Of all processes, until now. */
struct job_facts {
	double alive, started, lived, held, held_most, quiet, awaited, samples,
		lost, own;
};

/* What is in the list of metrics, by how it is known. */
static const struct {
	const char *name, *help;
	enum recent_sum sum;
} metrics_of_totals[] = {
	{ "copse_cpu_seconds_total", "CPU time of all threads.", RECENT_CPU },
	{ "copse_mpi_seconds_total",
	  "Time in MPI, calls that have not "
	  "returned included.",
	  RECENT_MPI },
	{ "copse_mpi_calls_total", "Calls of MPI.", RECENT_CALLS },
	{ "copse_gpu_seconds_total", "Time of kernels, copies and memsets.",
	  RECENT_GPU },
	{ "copse_read_bytes_total", "Bytes read from files.", RECENT_READ },
	{ "copse_written_bytes_total", "Bytes written to files.",
	  RECENT_WRITTEN },
};

static double sum_of_metric(const struct run *run, const char *name)
{
	const struct run_metric *m = run_metric(run, name);
	double sum = 0;

	for (size_t n = 0; m && n < run->node_count; n++)
		sum += value_node(m, n);
	return sum;
}

static void add_process(struct job_facts *f, const struct run *run,
			uint32_t row)
{
	const struct run_rank *r = &run->ranks[row];
	double start = (double)r->start_real_ns / NS;
	double held = (double)recent_memory(run, row);

	f->alive += r->end == END_UNKNOWN;
	f->started = f->started > 0 && f->started < start ? f->started : start;
	f->lived += (double)r->elapsed_ns / NS;
	f->held += held;
	f->held_most = held > f->held_most ? held : f->held_most;
	f->own += ((double)r->handler_ns + (double)r->wrapper_ns) / NS;
}

/* Since any rank has completed a call; NO_VALUE: none ever has. */
static double quiet_seconds(const struct run *run)
{
	double least = NO_VALUE;

	for (size_t i = 0; i < run->ends.call_count; i++) {
		const struct run_last_call *c = &run->ends.calls[i];
		double age = (double)c->completed_age_ns / NS;

		if (c->completed && !(least <= age))
			least = age;
	}
	return least;
}

static void find_job_facts(struct job_facts *f, const struct recent_looks *r)
{
	const struct run *run = r->now;

	for (size_t i = 0; i < r->count; i++)
		add_process(f, run, r->ranks[i].row);
	f->quiet = quiet_seconds(run);
	f->awaited = recent_is_awaited(r)
			     ? (double)processes_number(run, r->ranks->row)
			     : -1;
	f->samples = sum_of_metric(run, "samples");
	for (size_t i = 0; i < run->loss_count; i++)
		f->lost += (double)run->losses[i].count;
}

static void put_job_metric(struct job_metric *to, size_t *count,
			   struct job_metric one)
{
	if (!isnan(one.value) && *count < JOB_METRICS)
		to[(*count)++] = one;
}

static void put_job_facts(struct job_metric *to, size_t *count,
			  const struct recent_looks *r,
			  const struct job_facts *f)
{
	const struct job_metric all[] = {
		{ "copse_ranks", "Processes that are measured.", false,
		  (double)r->count },
		{ "copse_ranks_alive", "Those that have not ended.", false,
		  f->alive },
		{ "copse_start_time_seconds", "Start of the first, since 1970.",
		  false, f->started },
		{ "copse_rank_seconds_total", "Elapsed time of all processes.",
		  true, f->lived },
		{ "copse_seconds_since_progress",
		  "Since any rank has completed a call of MPI.", false,
		  f->quiet },
		{ "copse_waited_for_rank",
		  "The rank that others waited for between the last two "
		  "looks; -1: none stands out.",
		  false, f->awaited },
		{ "copse_resident_memory_bytes",
		  "Memory that all processes hold.", false,
		  f->held > 0 ? f->held : NO_VALUE },
		{ "copse_resident_memory_largest_bytes",
		  "The most that one of them holds.", false,
		  f->held > 0 ? f->held_most : NO_VALUE },
		{ "copse_samples_total", "Samples taken.", true, f->samples },
		{ "copse_lost_total", "What was not measured, of all kinds.",
		  true, f->lost },
		{ "copse_own_cpu_seconds_total",
		  "CPU time that measuring took in the processes.", true,
		  f->own },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		put_job_metric(to, count, all[i]);
}

int job_metrics(struct job_metric to[JOB_METRICS], size_t *count,
		const struct run *before, const struct run *now, double seconds)
{
	struct job_facts facts = { 0 };
	struct recent_looks r;
	int err = recent_looks_init(&r, before, now, seconds);

	*count = 0;
	if (err)
		return err;
	find_job_facts(&facts, &r);
	put_job_facts(to, count, &r, &facts);
	for (size_t i = 0;
	     i < sizeof(metrics_of_totals) / sizeof(*metrics_of_totals); i++)
		put_job_metric(to, count,
			       (struct job_metric){
				       metrics_of_totals[i].name,
				       metrics_of_totals[i].help, true,
				       r.totals[metrics_of_totals[i].sum] });
	recent_looks_fini(&r);
	return 0;
}
