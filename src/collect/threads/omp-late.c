/* SPDX-License-Identifier: BSD-3-Clause */
/* omp-late.c - see omp-late.h. */
#include "collect/threads/omp-late.h"

#include <stdbool.h>

#include "collect/thread.h"

enum {
	SLOTS = 64,      /* room for members at first */
	LONG_SHIFT = 13, /* some 4 µs for each member, by the counter */
	OF_SHORT = 16    /* of meetings closer together, one in 16 is read */
};

struct omp_slots {
	uint32_t size;
	struct omp_slot at[];
};

struct omp_slot *omp_slot_of_member(const struct omp_team *team, uint32_t index)
{
	struct omp_slots *slots = __atomic_load_n(
		&team->master->slots[team->level], __ATOMIC_ACQUIRE);

	return slots && index < slots->size ? &slots->at[index] : NULL;
}

void omp_slots_prepare(struct thread *t, uint32_t level, uint32_t members)
{
	struct omp_slots *slots = t->slots[level];
	uint32_t size = members > SLOTS ? 2 * members : SLOTS;

	if (slots && slots->size >= members)
		return;
	slots = NULL;
	if (thread_open())
		slots = sys_memory(sizeof(*slots) + size * sizeof(*slots->at));
	if (slots)
		slots->size = size;
	__atomic_store_n(&t->slots[level], slots, __ATOMIC_RELEASE);
}

/* The last member, and what the others waited for it; NULL: not known. */
static const struct omp_came *last_member(const struct omp_slots *slots,
					  const struct omp_team *team,
					  uint32_t meeting, uint64_t *waited)
{
	const struct omp_came *last = &slots->at[0].came[meeting % 2];
	uint64_t sum = 0;

	for (uint32_t i = 0; i < team->members; i++) {
		const struct omp_came *c = &slots->at[i].came[meeting % 2];

		if (c->number != team->number || c->meeting != meeting)
			return NULL;
		sum += c->at;
		last = c->at > last->at ? c : last;
	}
	*waited = last->at * team->members - sum;
	return last;
}

/*
 * The weight of the meeting; 0: it is not read.  Where members meet often,
 * reading a line of each would take longer than they waited.
 */
static uint32_t meetings_it_stands_for(const struct omp_team *team,
				       uint32_t meeting, uint64_t passed)
{
	uint32_t turn = team->number * 0x9e3779b1u + meeting * 0x85ebca6bu;

	if (team->members < 2 || !team->node)
		return 0;
	if (passed >> LONG_SHIFT >= team->members)
		return 1;
	return turn < UINT32_MAX / OF_SHORT ? OF_SHORT : 0;
}

static void add_late(struct thread *t, live_ref node, enum metric metric,
		     uint64_t ns)
{
	if (ns && !tree_add(&t->tree, node, metric, ns))
		thread_lost(t, LOSS_DROPPED_FULL);
}

/* The place where another member was sampled is in that member's tree. */
static void count_blame(struct thread *t, const struct omp_team *team,
			const struct omp_came *last, bool own, uint64_t ns)
{
	live_ref node = last->sampled;

	if (node && !own)
		node = tree_child(&t->tree, team->node, LIVE_NODE_BELOW, 0,
				  node);
	if (node)
		add_late(t, node, METRIC_OMP_BLAME, ns);
}

void omp_late_count(struct thread *t, const struct omp_team *team,
		    uint32_t meeting, uint64_t passed)
{
	uint32_t times = meetings_it_stands_for(team, meeting, passed);
	const struct omp_slots *slots = t->slots[team->level];
	const struct omp_came *last = NULL;
	uint64_t waited, ns;
	bool own;

	if (times && thread_open() && slots && slots->size >= team->members)
		last = last_member(slots, team, meeting, &waited);
	if (!last)
		return;
	ns = omp_team_ns(team, waited) * times;
	own = last == &slots->at[0].came[meeting % 2];
	add_late(t, team->node, METRIC_OMP_LATE, ns);
	if (own)
		add_late(t, team->node, METRIC_OMP_LATE_MASTER, ns);
	if (ns)
		count_blame(t, team, last, own, ns);
}
