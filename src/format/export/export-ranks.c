/* SPDX-License-Identifier: BSD-3-Clause */
/* export-ranks.c - the processes of a run as CSV, times in seconds. */
#include <inttypes.h>

#include "format/format.h"
#include "format/export/node-sums.h"

static double seconds_of_rank(uint64_t ns)
{
	return (double)ns / 1e9;
}

static void export_rank_row(FILE *to, const struct run *run, size_t index)
{
	const struct run_rank *r = &run->ranks[index];

	fprintf(to, "%zu,", index);
	if (r->rank >= 0)
		fprintf(to, "%" PRId32, r->rank);
	fprintf(to, ",%d,%" PRIu32, index < run->member_count, r->pid);
	sums_string(to, run, r->host);
	sums_string(to, run, r->source);
	sums_string(to, run, r->command);
	fprintf(to, ",%" PRIu32 ",%.9f,%.9f,%.9f,%.9f,%.9f,%" PRIu64 "\n",
		r->threads, seconds_of_rank(r->elapsed_ns),
		seconds_of_rank(r->mpi_ns), seconds_of_rank(r->mpi_time_ns),
		seconds_of_rank(r->cpu_ns), seconds_of_rank(r->process_cpu_ns),
		r->samples);
}

static int write_ranks(FILE *to, const struct run *run,
		       const struct format_choice *choice)
{
	(void)choice;
	fputs("process,rank,member,pid,host,source,command,threads,elapsed,"
	      "mpi_elapsed,mpi_time,cpu,process_cpu,samples\n",
	      to);
	for (size_t i = 0; i < run->rank_count; i++)
		export_rank_row(to, run, i);
	return 0;
}

const struct format format_export_ranks = {
	.name = "ranks",
	.help = "CSV: processes",
	.write_run = write_ranks,
};
