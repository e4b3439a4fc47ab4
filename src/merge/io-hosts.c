/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * io-hosts.c - the bytes that the processes of each host moved, over time.
 *
 * Hosts have the same bins, on a grid of real time: as wide as it takes for all
 * to be as many as they may.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/comparison.h"
#include "base/err.h"
#include "base/map.h"
#include "live/layout.h"
#include "run/gatherer.h"

enum {
	HOST_BINS = 256
};

struct io_host {
	uint32_t name; /* in `names` */
	double read[HOST_BINS], written[HOST_BINS];
};

struct io_hosts {
	struct io_host *hosts;
	size_t host_count, room;
	struct strings names;
	struct map found;     /* host by name */
	uint64_t first, last; /* bins of the grid that are in use */
	uint32_t shift;       /* their width is 1 << shift ns; 0: none yet */
};

static void fini_io_hosts(void *state)
{
	struct io_hosts *t = state;

	free(t->hosts);
	strings_fini(&t->names);
	map_fini(&t->found);
	*t = (struct io_hosts){ 0 };
}

/* NULL: no memory. */
static struct io_host *io_host_of(struct io_hosts *t, const char *host)
{
	struct io_host fresh = { .name = str_add(&t->names, host) };
	uint32_t i;

	if (fresh.name == STR_NONE)
		return NULL;
	i = map_put(&t->found, fresh.name, 0, (uint32_t)t->host_count);
	if (i == MAP_NONE || (i == t->host_count &&
			      !array_append(&t->hosts, &t->host_count, &t->room,
					    sizeof(fresh), &fresh)))
		return NULL;
	return &t->hosts[i];
}

/* The bins from `from` on become those from `first` on, joined if that is so.
 */
static void move_host_bins(double *bins, uint64_t from, uint64_t first,
			   uint32_t joined)
{
	double was[HOST_BINS];

	for (size_t i = 0; i < HOST_BINS; i++) {
		was[i] = bins[i];
		bins[i] = 0;
	}
	for (size_t i = 0; i < HOST_BINS; i++)
		if (was[i] > 0)
			bins[((from + i) >> joined) - first] += was[i];
}

/*
 * Now there is a bin for each moment from `begin` to `end`, a bin of a profile;
 * those of hosts are not narrower.
 */
static void reach_io_bins(struct io_hosts *t, uint64_t begin, uint64_t end)
{
	uint64_t from = t->first, first, last;
	uint32_t joined = 0;

	if (!t->shift) {
		t->shift = LIVE_IO_SHIFT;
		from = t->first = t->last = begin >> t->shift;
	}
	while ((uint64_t)1 << (t->shift + joined) < end - begin)
		joined++;
	do {
		uint64_t low = begin >> (t->shift + joined);
		uint64_t high = (end - 1) >> (t->shift + joined);

		first = t->first >> joined;
		last = t->last >> joined;
		first = low < first ? low : first;
		last = high > last ? high : last;
	} while (last - first >= HOST_BINS && ++joined);
	for (size_t i = 0; i < t->host_count && (joined || first != from);
	     i++) {
		move_host_bins(t->hosts[i].read, from, first, joined);
		move_host_bins(t->hosts[i].written, from, first, joined);
	}
	t->first = first;
	t->last = last;
	t->shift += joined;
}

static void put_io_bin(struct io_hosts *t, struct io_host *host, uint64_t begin,
		       const struct profile_io_bin *from)
{
	uint64_t end = begin + from->width_ns;
	uint64_t width = (uint64_t)1 << t->shift;

	for (uint64_t at = begin; at < end;) {
		uint64_t next = (at & -width) + width;
		double share = (double)((next < end ? next : end) - at) /
			       (double)from->width_ns;
		size_t i = (at >> t->shift) - t->first;

		host->read[i] += share * (double)from->read;
		host->written[i] += share * (double)from->written;
		at = next;
	}
}

static int add_io_hosts(void *state, const struct gathered *one)
{
	struct io_hosts *t = state;
	const struct profile *p = one->profile;
	uint64_t start = p->id.start_real_ns;
	struct io_host *host;

	if (!p->io_bin_count || start > INT64_MAX) /* a damaged one */
		return 0;
	host = io_host_of(t, p->id.host);
	if (!host)
		return no_memory();
	for (size_t i = 0; i < p->io_bin_count; i++) {
		const struct profile_io_bin *b = &p->io_bins[i];

		reach_io_bins(t, start + b->ns, start + b->ns + b->width_ns);
		put_io_bin(t, host, start + b->ns, b);
	}
	return 0;
}

static uint64_t run_start(const struct run *run)
{
	uint64_t start = UINT64_MAX;

	for (size_t r = 0; r < run->rank_count; r++)
		if (run->ranks[r].start_real_ns < start)
			start = run->ranks[r].start_real_ns;
	return start;
}

static bool put_host_rows(struct run *run, const struct io_hosts *t,
			  const struct io_host *from, size_t *room)
{
	uint64_t start = run_start(run), width = (uint64_t)1 << t->shift;
	struct run_io_bin row = {
		.host = str_add(&run->strings, str_at(&t->names, from->name)),
	};
	bool ok = row.host != STR_NONE;

	for (size_t i = 0; i <= t->last - t->first && ok; i++) {
		uint64_t begin = (t->first + i) << t->shift;

		row.ns = begin > start ? begin - start : 0;
		row.width_ns = begin + width - (begin > start ? begin : start);
		row.read = (uint64_t)(from->read[i] + 0.5);
		row.written = (uint64_t)(from->written[i] + 0.5);
		if (row.read || row.written)
			ok = array_append(&run->io.bins, &run->io.bin_count,
					  room, sizeof(row), &row);
	}
	return ok;
}

static int by_io_bin(const void *x, const void *y, void *strings)
{
	const struct run_io_bin *a = x, *b = y;

	return strcmp(str_at(strings, a->host), str_at(strings, b->host))
		       ?: ORDER(a->ns, b->ns);
}

static int finish_io_hosts(void *state, struct run *run, const uint32_t *order,
			   const uint32_t *became)
{
	struct io_hosts *t = state;
	size_t room = 0;
	bool ok = true;

	(void)order;
	(void)became;
	for (size_t i = 0; i < t->host_count && ok; i++)
		ok = put_host_rows(run, t, &t->hosts[i], &room);
	if (run->io.bin_count)
		qsort_r(run->io.bins, run->io.bin_count, sizeof(*run->io.bins),
			by_io_bin, &run->strings);
	fini_io_hosts(t);
	return ok ? 0 : no_memory();
}

const struct gatherer gatherer_io_hosts = {
	.size = sizeof(struct io_hosts),
	.fini = fini_io_hosts,
	.add = add_io_hosts,
	.finish = finish_io_hosts,
};
