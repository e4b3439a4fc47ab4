/* SPDX-License-Identifier: BSD-3-Clause */
/* memory-report.c - who held how much memory, and who was killed for lack of
 * it. */
#include "analyse/ranks/memory-use.h"

#include <errno.h>
#include <stdlib.h>

#include "analyse/base/analysis.h"
#include "analyse/base/phrase.h"
#include "analyse/base/processes.h"
#include "analyse/base/value.h"
#include "analyse/ranks/heap-use.h"
#include "base/comparison.h"

#define NS   1e9
#define NEAR 0.95 /* of what there is */

enum {
	MEMORY_ROWS = 20
};

static const char *host_of(const struct memory_use *u,
			   const struct memory_host *h)
{
	const struct run *run = u->run;

	return str_at(&run->strings, run->ranks[u->at[h->first].of->rank].host);
}

/* The last reading of at most half of its most; or the first, of less. */
static const struct run_memory_reading *
before_growth(const struct memory_process *p)
{
	for (size_t i = p->reading_count; i-- > 0;)
		if (p->readings[i].resident <= p->most / 2)
			return &p->readings[i];
	if (p->reading_count &&
	    (double)p->readings->resident < NEAR * (double)p->most)
		return p->readings;
	return NULL;
}

/* " (200 MiB 3.00 s before)", or nothing. */
static void growth_text(char *to, size_t size, const struct memory_use *u,
			const struct memory_process *p)
{
	const struct run_memory_reading *r = before_growth(p);
	uint64_t end = u->run->ranks[p->of->rank].elapsed_ns;
	char bytes[32], time[32];

	*to = 0;
	if (r && end > r->ns)
		snprintf(to, size, " (%s %s before)",
			 phrase_bytes(bytes, (double)r->resident),
			 phrase_time(time, (double)(end - r->ns) / NS));
}

static const struct memory_process *
holds_most(const struct memory_use *u, const struct memory_host *h, bool others)
{
	const struct memory_process *most = NULL;

	for (size_t i = h->first; i < h->first + h->count; i++)
		if (!(others && u->at[i].killed) &&
		    (!most || u->at[i].most > most->most))
			most = &u->at[i];
	return most;
}

/* "the limit of its control group is 4.00 GiB" */
static void limit_text(char *to, size_t size, const struct memory_host *h)
{
	char bytes[32];

	if (h->limit)
		snprintf(to, size, "the limit of its control group is %s",
			 phrase_bytes(bytes, (double)h->limit));
	else
		snprintf(to, size, "the host has %s",
			 phrase_bytes(bytes, (double)h->total));
}

static void say_victim(struct report *report, const struct memory_use *u,
		       const struct memory_host *h,
		       const struct memory_process *p)
{
	const struct memory_process *other = holds_most(u, h, true);
	const struct run *run = u->run;
	char most[32], rest[32], grew[96], limit[96], others[96] = "";

	growth_text(grew, sizeof(grew), u, p);
	limit_text(limit, sizeof(limit), h);
	if (other)
		snprintf(others, sizeof(others), ", the others %s at most",
			 phrase_bytes(rest, (double)other->most));
	report_line(report,
		    "! The kernel killed %s %llu on %s for lack of memory: it "
		    "held %s%s%s; %s.",
		    processes_noun(run),
		    (unsigned long long)processes_number(run, p->of->rank),
		    host_of(u, h), phrase_bytes(most, (double)p->most), grew,
		    others, limit);
}

static void say_kills(struct report *report, const struct memory_use *u,
		      const struct memory_host *h)
{
	uint64_t missing = h->kills - h->victims;
	char limit[96];

	for (size_t i = h->first; i < h->first + h->count; i++)
		if (u->at[i].killed)
			say_victim(report, u, h, &u->at[i]);
	limit_text(limit, sizeof(limit), h);
	if (missing)
		report_line(report,
			    "! The kernel killed %llu process%s on %s for lack "
			    "of memory, none that is known here: %s.",
			    (unsigned long long)missing,
			    missing > 1 ? "es" : "", host_of(u, h), limit);
}

/*
 * The kernel may kill a whole control group, the parents too: nobody is left to
 * read what it counted.  With readings a second apart, what grows fast was far
 * from the limit: so twice the last growth is added.
 */
static bool were_all_killed(const struct memory_use *u,
			    const struct memory_host *h)
{
	const struct memory_process *most = holds_most(u, h, false);
	uint64_t held = h->limit            ? h->last_held
			: h->last_available ? h->total - h->last_available
					    : 0;
	uint64_t of = h->limit ? h->limit : h->total;
	size_t n = most ? most->reading_count : 0;
	uint64_t grew = 0;

	if (n > 1 &&
	    most->readings[n - 1].resident > most->readings[n - 2].resident)
		grew = most->readings[n - 1].resident -
		       most->readings[n - 2].resident;
	return h->unseen && !*u->run->batch.end && of &&
	       (double)held + 2 * (double)grew > NEAR * (double)of;
}

static void say_likely(struct report *report, const struct memory_use *u,
		       const struct memory_host *h)
{
	const struct memory_process *p = holds_most(u, h, false);
	char most[32], limit[96], grew[96];

	limit_text(limit, sizeof(limit), h);
	growth_text(grew, sizeof(grew), u, p);
	report_line(report,
		    "! Likely the kernel killed all processes on %s for lack "
		    "of memory: nothing saw their end, and %s. %s %llu held "
		    "most, %s when it was read last%s.",
		    host_of(u, h), limit, u->run->world ? "Rank" : "Process",
		    (unsigned long long)processes_number(u->run, p->of->rank),
		    phrase_bytes(most, (double)p->most), grew);
}

static void say_hosts(struct report *report, const struct memory_use *u)
{
	for (size_t i = 0; i < u->host_count; i++) {
		const struct memory_host *h = &u->hosts[i];

		if (h->kills)
			say_kills(report, u, h);
		else if (were_all_killed(u, h))
			say_likely(report, u, h);
	}
}

int memory_findings(struct report *report, const struct run *run)
{
	struct memory_use use;
	int err = memory_use_init(&use, run);

	if (err)
		return err;
	say_hosts(report, &use);
	memory_use_fini(&use);
	return 0;
}

/*
 * The report.
 */

static void known_bytes(struct report *report, uint64_t bytes)
{
	if (bytes)
		report_count(report, bytes);
	else
		report_none(report);
}

static void memory_hosts_table(struct report *report,
			       const struct memory_use *u, size_t limit)
{
	report_table(report, "hosts", "hosts");
	report_column(report, "host", "host", COLUMN_TEXT);
	report_column(report, "memory", "memory", COLUMN_BYTES);
	report_column(report, "available", "least available", COLUMN_BYTES);
	report_column(report, "limit", "limit", COLUMN_BYTES);
	report_column(report, "held", "most held", COLUMN_BYTES);
	report_column(report, "peak", NULL, COLUMN_BYTES);
	report_column(report, "refusals", NULL, COLUMN_COUNT);
	report_column(report, "kills", "killed", COLUMN_COUNT);
	for (size_t i = 0; i < u->host_count && i < limit; i++) {
		const struct memory_host *h = &u->hosts[i];

		report_text(report, host_of(u, h));
		known_bytes(report, h->total);
		known_bytes(report, h->least);
		known_bytes(report, h->limit);
		known_bytes(report, h->held);
		known_bytes(report, h->group_peak);
		report_count(report, h->refusals);
		report_count(report, h->kills);
	}
}

ORDER_POINTERS_BY(by_most_held, struct memory_process,
		  DESC(most) ?: ASC(of->rank))

static void resident_cell(struct report *report, const struct memory_process *p)
{
	double *line = calloc(p->reading_count + 1, sizeof(*line));

	for (size_t i = 0; line && i < p->reading_count; i++)
		line[i] = (double)p->readings[i].resident;
	if (line)
		report_spark(report, line, p->reading_count);
	report->failed |= !line;
	free(line);
}

/* Its peaks on all devices, together; 0: none, or not known. */
static uint64_t gpu_memory_of(const struct run *run, uint32_t rank)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < run->facts.holder_count; i++)
		if (run->facts.holders[i].rank == rank &&
		    run->facts.holders[i].device != RUN_HOST)
			bytes += run->facts.holders[i].peak;
	return bytes;
}

static void memory_row(struct report *report, const struct memory_use *u,
		       const struct memory_process *p, const double *held)
{
	const struct run *run = u->run;
	size_t n = p->reading_count;

	report_count(report, processes_number(run, p->of->rank));
	report_text(report,
		    str_at(&run->strings, run->ranks[p->of->rank].host));
	report_count(report, p->most);
	if (p->of->peak_ns)
		report_number(report, (double)p->of->peak_ns / NS);
	else
		report_none(report);
	known_bytes(report, n ? p->readings[n - 1].resident : 0);
	report_count(report, p->of->readings);
	report_count(report, p->killed);
	value_count(report, held ? held[p->of->rank] : NO_VALUE);
	known_bytes(report, run->ranks[p->of->rank].family.faults);
	known_bytes(report, p->of->huge);
	known_bytes(report, p->of->far);
	known_bytes(report, gpu_memory_of(run, p->of->rank));
	resident_cell(report, p);
}

/* Has any process some in huge pages, or on far nodes? */
static bool has_pages(const struct memory_use *u, bool far)
{
	for (size_t i = 0; i < u->count; i++)
		if (far ? u->at[i].of->far : u->at[i].of->huge)
			return true;
	return false;
}

/* held: by rank, at most of what was allocated; NULL: not known. */
static void memory_ranks_table(struct report *report,
			       const struct memory_use *u, const double *held,
			       size_t limit)
{
	struct memory_process **rows = calloc(u->count + 1, sizeof(*rows));

	report->failed |= !rows;
	if (!rows)
		return;
	for (size_t i = 0; i < u->count; i++)
		rows[i] = &u->at[i];
	qsort(rows, u->count, sizeof(struct memory_process *), by_most_held);
	report_table(report, "ranks", "processes");
	report_column(report, "rank", processes_noun(u->run), COLUMN_COUNT);
	report_column(report, "host", "host", COLUMN_TEXT);
	report_column(report, "most", "most", COLUMN_BYTES);
	report_column(report, "when", "at", COLUMN_SECONDS);
	report_column(report, "last", "in the end", COLUMN_BYTES);
	report_column(report, "readings", NULL, COLUMN_COUNT);
	report_column(report, "killed", NULL, COLUMN_COUNT);
	report_column(report, "allocated", held ? "allocated" : NULL,
		      COLUMN_BYTES);
	report_column(report, "faults", "page faults", COLUMN_COUNT);
	report_spare(report);
	report_column(report, "huge", has_pages(u, false) ? "huge pages" : NULL,
		      COLUMN_BYTES);
	report_column(report, "far", has_pages(u, true) ? "far nodes" : NULL,
		      COLUMN_BYTES);
	report_column(report, "gpu", u->run->facts.holder_count ? "GPUs" : NULL,
		      COLUMN_BYTES);
	report_column(report, "line", "over time", COLUMN_SPARK);
	for (size_t i = 0; i < u->count && i < limit; i++)
		memory_row(report, u, rows[i], held);
	free(rows);
}

/* The line of a host: as the process read it that was read most often. */
static void memory_time_rows(struct report *report, const struct memory_use *u,
			     const struct memory_host *h)
{
	for (size_t i = h->first; i < h->first + h->count; i++) {
		const struct memory_process *p = &u->at[i];

		for (size_t k = 0; p->of == h->tell && k < p->reading_count;
		     k++) {
			const struct run_memory_reading *r = &p->readings[k];

			report_text(report, host_of(u, h));
			report_number(report, (double)r->ns / NS);
			report_count(report, r->available);
			known_bytes(report, r->held);
		}
	}
}

static void memory_time_table(struct report *report, const struct memory_use *u,
			      size_t limit)
{
	report_table(report, "time", NULL);
	report_column(report, "host", NULL, COLUMN_TEXT);
	report_column(report, "seconds", NULL, COLUMN_SECONDS);
	report_column(report, "available", NULL, COLUMN_BYTES);
	report_column(report, "held", NULL, COLUMN_BYTES);
	for (size_t i = 0; i < u->host_count && i < limit; i++)
		memory_time_rows(report, u, &u->hosts[i]);
}

static int fill_memory(struct report *report, const struct run *run,
		       const double *held,
		       const struct analysis_options *options)
{
	struct memory_use use;
	int err = memory_use_init(&use, run);
	size_t hosts;

	if (err)
		return err;
	hosts = analysis_limit(options, MEMORY_ROWS, use.host_count);
	say_hosts(report, &use);
	memory_hosts_table(report, &use, hosts);
	memory_ranks_table(report, &use, held,
			   analysis_limit(options, MEMORY_ROWS, use.count));
	memory_time_table(report, &use, hosts);
	memory_use_fini(&use);
	return 0;
}

/* What is read beside the program, and what is sampled in it. */
static int fill_memory_report(struct report *report, const struct run *run,
			      const struct analysis_options *options)
{
	struct heap_use heap = { 0 };
	struct paths paths;
	int err = paths_init(&paths, run);

	if (err)
		return err;
	err = heap_use_init(&heap, &paths);
	if (!err && !run->memory.rank_count)
		report_line(report, "What processes held is not known: the run "
				    "was shorter than a second, or an older "
				    "copse measured.");
	else if (!err)
		err = fill_memory(report, run, heap.held, options);
	if (!err)
		heap_use_report(
			report, &heap,
			analysis_limit(options, MEMORY_ROWS, heap.count));
	heap_use_fini(&heap);
	paths_fini(&paths);
	return err;
}

static int run_memory_analysis(struct report **to,
			       const struct run *const runs[],
			       const struct analysis_options *options)
{
	struct report *report;
	int err = analysis_one_run(runs, "memory");

	if (err)
		return err;
	report = analysis_report("memory", runs[0], NULL);
	if (!report)
		return -ENOMEM;
	err = fill_memory_report(report, runs[0], options);
	return report_give(to, report, err);
}

const struct analysis analysis_memory_report = {
	.name = "memory",
	.help = "who held how much memory, and who was killed for lack of it",
	.run = run_memory_analysis,
};
