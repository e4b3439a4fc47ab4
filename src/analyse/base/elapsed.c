/* SPDX-License-Identifier: BSD-3-Clause */
/* elapsed.c - the span of a run, by the time of day of each host. */
#include <errno.h>
#include <stdlib.h>

#include "analyse/base/elapsed.h"
#include "analyse/base/processes.h"
#include "base/err.h"
#include "base/map.h"

struct elapsed_span {
	uint64_t from, to;
};

/* Where no time of day is known, all of the process is in its span alone. */
static struct elapsed_span span_of(const struct run_rank *r)
{
	uint64_t end = r->start_real_ns + r->elapsed_ns;

	return (struct elapsed_span){ r->start_real_ns,
				      end < r->elapsed_ns ? UINT64_MAX : end };
}

static void widen_span(struct elapsed_span *span, struct elapsed_span by)
{
	if (!span->to || by.from < span->from)
		span->from = by.from;
	if (by.to > span->to)
		span->to = by.to;
}

int elapsed_of(double *seconds, const struct run *run)
{
	uint32_t *host = calloc(run->rank_count + 1, sizeof(*host));
	struct elapsed_span *spans =
		calloc(run->rank_count + 1, sizeof(*spans));
	ssize_t hosts = -ENOMEM;
	uint64_t most = 0;

	if (host && spans)
		hosts = processes_hosts(run, NULL, run->rank_count, host);
	for (size_t i = 0; hosts > 0 && i < run->rank_count; i++)
		widen_span(&spans[host[i]], span_of(&run->ranks[i]));
	for (ssize_t i = 0; i < hosts; i++)
		if (spans[i].to - spans[i].from > most)
			most = spans[i].to - spans[i].from;
	free(spans);
	free(host);
	*seconds = (double)most / 1e9;
	return hosts < 0 ? no_memory() : 0;
}

bool elapsed_together(const struct run *run)
{
	uint64_t last_start = 0, first_end = UINT64_MAX;

	for (size_t i = 0; i < run->member_count; i++) {
		struct elapsed_span span = span_of(&run->ranks[i]);

		if (span.from > last_start)
			last_start = span.from;
		if (span.to < first_end)
			first_end = span.to;
	}
	return last_start < first_end;
}

int elapsed_of_same_work(bool *same, const struct run *run)
{
	const struct run_rank *r = run->ranks;
	struct map pids = { 0 };
	uint32_t put = 0;

	*same = true;
	for (size_t i = 0; i < run->member_count && put != MAP_NONE; i++) {
		put = map_put(&pids, r[i].host, r[i].pid, (uint32_t)i);
		*same &= r[i].command == r->command;
	}
	for (size_t i = 0; i < run->member_count && put != MAP_NONE; i++)
		*same &= map_get(&pids, r[i].host, r[i].ppid) == MAP_NONE;
	map_fini(&pids);
	return put == MAP_NONE ? no_memory() : 0;
}
