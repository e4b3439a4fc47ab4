/* SPDX-License-Identifier: BSD-3-Clause */
/* io-times.c - see io-times.h. */
#include "collect/io/io-times.h"

#include "collect/io/io-files.h"
#include "collect/registry.h"
#include "collect/thread.h"

/* Not where the thread is busy: it tries again at its next call. */
static __attribute__((noinline)) void make_io_times(struct thread *t)
{
	struct arena *arena;
	live_ref ref;

	if (!thread_use())
		return;
	arena = registry_open();
	ref = arena ? io_files_record(&registry_header()->io_times,
				      sizeof(struct live_io_times))
		    : 0;
	t->io_times = (struct io_times){ ref ? arena_at(arena, ref) : NULL,
					 registry_generation() + 1 };
	thread_release(t);
}

static uint64_t io_bin(const struct live_io_times *to, uint64_t ns)
{
	uint64_t start = registry_header()->start_mono_ns;

	return ns > start ? (ns - start) >> (LIVE_IO_SHIFT + to->widened) : 0;
}

static void join_io_bins(uint64_t bins[LIVE_IO_BINS])
{
	for (uint32_t i = 0; i < LIVE_IO_BINS / 2; i++)
		bins[i] = bins[2 * i] + bins[2 * i + 1];
	for (uint32_t i = LIVE_IO_BINS / 2; i < LIVE_IO_BINS; i++)
		bins[i] = 0;
}

/* Whoever reads this, even of a process that was killed, sees that. */
static void widen_io_times(struct live_io_times *to)
{
	__atomic_store_n(&to->moving, to->moving + 1, __ATOMIC_SEQ_CST);
	join_io_bins(to->read);
	join_io_bins(to->written);
	to->widened++;
	__atomic_store_n(&to->moving, to->moving + 1, __ATOMIC_SEQ_CST);
}

/* A call of several bins has moved as many bytes in each of them. */
static void spread_bytes(uint64_t *bins, uint64_t first, uint64_t last,
			 uint64_t bytes)
{
	uint64_t each = bytes / (last - first + 1);

	for (uint64_t i = first; i < last; i++)
		bins[i] += each;
	bins[last] += bytes - each * (last - first);
}

void io_times_count(struct thread *t, const struct io_piece *p)
{
	struct live_io_times *to;
	uint64_t last, first;

	if (t->io_times.generation != registry_generation() + 1)
		make_io_times(t);
	to = t->io_times.at;
	if (!to || t->io_times.generation != registry_generation() + 1 ||
	    to->moving & 1)
		return;
	while ((last = io_bin(to, p->end_ns)) >= LIVE_IO_BINS)
		widen_io_times(to);
	first = p->ns < p->end_ns ? io_bin(to, p->end_ns - p->ns) : last;
	spread_bytes(p->kind == LIVE_IO_WRITE ? to->written : to->read,
		     first < last ? first : last, last, (uint64_t)p->bytes);
}
