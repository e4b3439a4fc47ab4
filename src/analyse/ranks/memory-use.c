/* SPDX-License-Identifier: BSD-3-Clause */
/* memory-use.c - see memory-use.h. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/processes.h"
#include "analyse/ranks/memory-use.h"
#include "base/comparison.h"
#include "base/err.h"
#include "profile/profile.h"

struct placed {
	uint32_t host;
	struct memory_process process;
};

ORDER_BY(by_memory_host, struct placed, ASC(host) ?: ASC(process.of->rank))

ORDER_POINTERS_BY(by_death, struct memory_process, ASC(end_ns) ?: ASC(of->rank))

static void find_readings(struct memory_process *p, const struct run_memory *m,
			  size_t *next)
{
	while (*next < m->reading_count &&
	       m->readings[*next].rank < p->of->rank)
		++*next;
	if (*next == m->reading_count)
		return;
	p->readings = m->readings + *next;
	while (*next < m->reading_count &&
	       m->readings[*next].rank == p->of->rank) {
		p->reading_count++;
		++*next;
	}
}

static void place_processes(struct placed *to, const struct run *run,
			    const uint32_t *hosts)
{
	const struct run_memory *m = &run->memory;
	size_t next = 0;

	for (size_t i = 0; i < m->rank_count; i++) {
		const struct run_rank *r = &run->ranks[m->ranks[i].rank];

		to[i].host = hosts[i];
		to[i].process = (struct memory_process){
			.of = &m->ranks[i],
			.most = m->ranks[i].peak,
			.end_ns = r->start_real_ns + r->elapsed_ns,
		};
		find_readings(&to[i].process, m, &next);
	}
	qsort(to, m->rank_count, sizeof(*to), by_memory_host);
}

static uint64_t larger_of(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* A raw copy was made while it ran: it may run still. */
static bool is_end_unseen(const struct run *run, uint32_t rank)
{
	const struct run_rank *r = &run->ranks[rank];
	const char *end = strrchr(str_at(&run->strings, r->source), '.');

	return rank < run->member_count && r->end == END_UNKNOWN &&
	       !(end && !strcmp(end, ".live"));
}

static void add_to_host(struct memory_host *h, const struct run *run,
			const struct memory_process *p)
{
	const struct run_footprint *f = p->of;

	if (!h->tell || f->readings > h->tell->readings) {
		h->tell = f;
		if (p->reading_count) {
			const struct run_memory_reading *last =
				&p->readings[p->reading_count - 1];

			h->last_held = last->held;
			h->last_available = last->available;
		}
	}
	if (f->readings && (!h->least || f->host_least < h->least))
		h->least = f->host_least;
	h->total = larger_of(h->total, f->host_total);
	h->limit = larger_of(h->limit, f->limit);
	h->held = larger_of(h->held, f->group_most);
	h->group_peak = larger_of(h->group_peak, f->group_peak);
	h->refusals = larger_of(h->refusals, f->refusals);
	h->kills = larger_of(h->kills, f->oom_kills);
	h->unseen |= is_end_unseen(run, f->rank);
}

static bool may_be_victim(const struct run *run, const struct memory_process *p)
{
	const struct run_rank *r = &run->ranks[p->of->rank];

	return p->of->oom_kills && r->end == END_SIGNAL &&
	       r->end_code == SIGKILL;
}

/* The kernel counts, and names none: those that SIGKILL ended first. */
static int find_victims(struct memory_use *u, struct memory_host *h)
{
	struct memory_process **killed = calloc(h->count + 1, sizeof(*killed));
	size_t count = 0;

	if (!killed)
		return no_memory();
	for (size_t i = h->first; i < h->first + h->count; i++)
		if (may_be_victim(u->run, &u->at[i]))
			killed[count++] = &u->at[i];
	if (count)
		qsort(killed, count, sizeof(*killed), by_death);
	for (; h->victims < count && h->victims < h->kills; h->victims++)
		killed[h->victims]->killed = true;
	free(killed);
	return 0;
}

static int gather_use(struct memory_use *u, const struct placed *placed)
{
	int err = 0;

	for (size_t i = 0; i < u->count; i++) {
		struct memory_host *h = &u->hosts[placed[i].host];

		u->at[i] = placed[i].process;
		if (!h->count++)
			h->first = i;
		add_to_host(h, u->run, &u->at[i]);
	}
	for (size_t i = 0; i < u->host_count && !err; i++)
		if (u->hosts[i].kills)
			err = find_victims(u, &u->hosts[i]);
	return err;
}

int memory_use_init(struct memory_use *to, const struct run *run)
{
	size_t count = run->memory.rank_count;
	uint32_t *ranks = calloc(2 * count + 1, sizeof(*ranks));
	struct placed *placed = calloc(count + 1, sizeof(*placed));
	ssize_t hosts = 0;
	int err = ranks && placed ? 0 : no_memory();

	*to = (struct memory_use){ .run = run, .count = count };
	for (size_t i = 0; i < count && !err; i++)
		ranks[i] = run->memory.ranks[i].rank;
	if (!err && count)
		hosts = processes_hosts(run, ranks, count, ranks + count);
	if (hosts < 0)
		err = (int)hosts;
	to->host_count = err ? 0 : (size_t)hosts;
	to->at = calloc(count + 1, sizeof(*to->at));
	to->hosts = calloc(to->host_count + 1, sizeof(*to->hosts));
	if (!err && (!to->at || !to->hosts))
		err = no_memory();
	if (!err && count) {
		place_processes(placed, run, ranks + count);
		err = gather_use(to, placed);
	}
	free(ranks);
	free(placed);
	if (err)
		memory_use_fini(to);
	return err;
}

void memory_use_fini(struct memory_use *use)
{
	free(use->at);
	free(use->hosts);
	*use = (struct memory_use){ 0 };
}

uint64_t memory_used(const struct memory_host *h, uint64_t *of)
{
	*of = h->limit ? h->limit : h->total;
	if (h->limit)
		return h->held;
	return h->least && h->total > h->least ? h->total - h->least : 0;
}
