/* SPDX-License-Identifier: BSD-3-Clause */
/* processes.c - see processes.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyse/base/phrase.h"
#include "analyse/base/processes.h"
#include "analyse/base/python-words.h"
#include "base/err.h"
#include "base/map.h"

#define SMALL 0.02 /* of the CPU time */

enum {
	GENERATIONS = 4 /* a program, a server of processes, one of these */
};

ssize_t processes_hosts(const struct run *run, const uint32_t *processes,
			size_t count, uint32_t *host)
{
	struct map numbers = { 0 };
	ssize_t hosts = 0;

	for (size_t i = 0; i < count && hosts >= 0; i++) {
		size_t process = processes ? processes[i] : i;
		uint32_t is = map_put(&numbers, run->ranks[process].host, 0,
				      (uint32_t)hosts);

		if (host)
			host[i] = is;
		if (is == MAP_NONE)
			hosts = no_memory();
		else
			hosts += is == (uint32_t)hosts;
	}
	map_fini(&numbers);
	return hosts;
}

const char *processes_noun(const struct run *run)
{
	return run->world ? "rank" : "process";
}

uint64_t processes_number(const struct run *run, size_t index)
{
	const struct run_rank *r = &run->ranks[index];

	return run->world && index < run->member_count ? (uint64_t)r->rank
						       : r->pid;
}

/* The member with most CPU time, and the sum of all. */
static size_t busiest_member(const struct run *run, double *sum)
{
	size_t most = 0;

	*sum = 0;
	for (size_t i = 0; i < run->member_count; i++) {
		*sum += (double)run->ranks[i].cpu_ns;
		if (run->ranks[i].cpu_ns > run->ranks[most].cpu_ns)
			most = i;
	}
	return most;
}

static bool is_main(const struct run *run, size_t member, size_t most,
		    double sum)
{
	return run->world || member == most ||
	       (double)run->ranks[member].cpu_ns >= SMALL * sum;
}

const char *processes_extent(char *to, const struct run *run)
{
	size_t count = 0, most;
	double sum;

	most = busiest_member(run, &sum);
	for (size_t i = 0; i < run->member_count; i++)
		count += is_main(run, i, most, sum);
	if (run->member_count == 1 && run->world > 1)
		snprintf(to, 32, "rank %d of %u", run->ranks[0].rank,
			 run->world);
	else
		phrase_plural(to, run->world ? run->world : count,
			      processes_noun(run));
	return to;
}

uint32_t *processes_members(const struct run *run, size_t *count)
{
	uint32_t *picked = calloc(run->member_count + 1, sizeof(*picked));

	if (!picked)
		no_memory();
	for (*count = 0; picked && *count < run->member_count; ++*count)
		picked[*count] = (uint32_t)*count;
	return picked;
}

uint32_t *processes_main(const struct run *run, size_t *count)
{
	uint32_t *picked = processes_members(run, count);
	double sum;
	size_t most = busiest_member(run, &sum), kept = 0;

	for (size_t i = 0; picked && i < *count; i++)
		if (is_main(run, i, most, sum))
			picked[kept++] = (uint32_t)i;
	*count = kept;
	return picked;
}

/* The process that started that one, and is in the run; or that one. */
static size_t find_parent(const struct run *run, size_t of)
{
	const struct run_rank *r = &run->ranks[of];

	for (size_t i = 0; i < run->rank_count; i++)
		if (run->ranks[i].pid == r->ppid &&
		    run->ranks[i].host == r->host)
			return i;
	return of;
}

const char *processes_command(const struct run *run)
{
	const char *command = str_at(&run->strings, run->command);
	double sum;
	size_t at;

	if (run->world || !run->member_count)
		return command;
	at = busiest_member(run, &sum);
	for (int i = 0; i < GENERATIONS; i++) {
		size_t parent = find_parent(run, at);

		command = str_at(&run->strings, run->ranks[at].command);
		if (!python_is_worker(command))
			break;
		if (parent == at && run->ranks[at].role)
			return str_at(&run->strings, run->ranks[at].role);
		at = parent;
	}
	return command;
}

/* The last of the numbers that follow picked[from] without a gap. */
static size_t range_end(const struct run *run, const uint32_t *picked,
			size_t count, size_t from)
{
	while (from + 1 < count &&
	       processes_number(run, picked[from + 1]) ==
		       processes_number(run, picked[from]) + 1)
		from++;
	return from;
}

char *processes_list(const struct run *run, const uint32_t *picked,
		     size_t count)
{
	char *text = NULL;
	size_t size, last;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	for (size_t i = 0; i < count; i = last + 1) {
		last = range_end(run, picked, count, i);
		fprintf(to, "%s%" PRIu64, i ? ", " : "",
			processes_number(run, picked[i]));
		if (last > i)
			fprintf(to, "%s%" PRIu64, last > i + 1 ? "–" : ", ",
				processes_number(run, picked[last]));
		if (ftell(to) > 60 && last + 1 < count) {
			fputs(", …", to);
			break;
		}
	}
	fclose(to);
	return text;
}
