/* SPDX-License-Identifier: BSD-3-Clause */
/* live-end.c - how a measured process ended, as its parent wrote it down. */
#include "profile/live/live-reader.h"

/* The CPU time of the process that was measured: not before, not in pauses. */
static void read_process_end(struct profile_identity *id,
			     const struct live_header *h)
{
	const struct live_pauses *pauses = &h->pauses;
	const struct live_end *end = &h->end;
	uint64_t skipped = h->start_cpu_ns + pauses->cpu_ns;

	id->end = end->signal ? END_SIGNAL : END_EXIT;
	id->end_code = end->signal ? end->signal : end->status;
	id->end_mono_ns = end->mono_ns;
	id->cores = end->cores;
	if (pauses->since_wall_ns && end->mono_ns > pauses->since_wall_ns)
		id->paused_ns += end->mono_ns - pauses->since_wall_ns;
	if (pauses->since_cpu_ns && end->cpu_ns > pauses->since_cpu_ns)
		skipped += end->cpu_ns - pauses->since_cpu_ns;
	if (end->cpu_ns > skipped)
		id->process_cpu_ns = end->cpu_ns - skipped;
}

/*
 * A thread that waits when its process ends has no sample of that wait, nor can
 * its stack be walked any more.  Not what passes between samples anyway.
 */
static void count_unseen(struct profile *p, uint64_t paused_since_ns)
{
	uint64_t end = paused_since_ns ? paused_since_ns : p->id.end_mono_ns;
	uint64_t least = 10000000;

	if (p->id.wall == LIVE_WALL_NONE || !p->id.freq)
		return;
	least += 4 * (1000000000u / p->id.freq);
	for (size_t i = 0; i < p->thread_count; i++) {
		const struct profile_thread *t = &p->threads[i];

		if (!t->ended && t->samples && end > t->last_ns + least)
			p->losses[LOSS_WALL_UNSEEN].count +=
				(end - t->last_ns) / 1000000;
	}
}

static void read_end(struct reader *r)
{
	if (!r->header.end.mono_ns)
		return;
	read_process_end(&r->p->id, &r->header);
	count_unseen(r->p, r->header.pauses.since_wall_ns);
}

const struct live_section section_end = { .tables = read_end };
