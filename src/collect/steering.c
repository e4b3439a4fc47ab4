/* SPDX-License-Identifier: BSD-3-Clause */
/* steering.c - see steering.h. */
#include "collect/steering.h"

#include "base/hidden.h"
#include "collect/control.h"
#include "collect/enlist.h"
#include "collect/iterations.h"
#include "collect/lock.h"
#include "collect/regions/phase.h"
#include "collect/regions/region.h"
#include "collect/registry.h"
#include "collect/sampling/clock.h"
#include "collect/source.h"

static const uint32_t nobody_asks;
static uint64_t calls_of_nobody; /* they are counted, and not read */

/* Mutable: what the process follows. */
static struct {
	struct lock lock;             /* nobody waits for it */
	struct live_request *request; /* NULL: nobody can ask */
	struct copse_steering line;
	struct live_steering is;
	uint32_t phases; /* requests for phases that were followed */
} steer RESET_AT_FORK = {
	.line = { &calls_of_nobody, &nobody_asks, UINT64_MAX, 0 },
};

SIGSAFE static void steering_describe(struct live_header *header)
{
	header->steering.turned_at = steer.is.turned_at;
	__atomic_store_n(&header->steering.number, steer.is.number,
			 __ATOMIC_RELEASE);
	header->freq = clock_rate();
}

SIGSAFE static void publish_steering(void)
{
	struct live_header *header = registry_header();

	if (header)
		steering_describe(header);
}

SIGSAFE static bool is_rank_of_mpi(void)
{
	const struct live_header *header = registry_header();

	return header && header->size;
}

/*
 * Requests.
 */

/* False: it is just being written. */
SIGSAFE static bool read_request(struct live_request *to)
{
	const struct live_request *from = steer.request;
	uint32_t number = __atomic_load_n(&from->number, __ATOMIC_ACQUIRE);

	sys_copy(to, from, sizeof(*to));
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	to->phase[sizeof(to->phase) - 1] = 0;
	return !(number & 1) && to->number == number &&
	       __atomic_load_n(&from->number, __ATOMIC_RELAXED) == number;
}

/* False: somebody changes what is measured at this moment. */
SIGSAFE static bool follow_request(const struct live_request *r, uint64_t calls,
				   bool handler)
{
	if (!control_steer((enum live_measuring)r->measuring, r->rate, calls,
			   handler))
		return false;
	steer.is.number = r->number;
	steer.is.turned_at = calls;
	steer.line.seen = r->number;
	publish_steering();
	return true;
}

void steering_begin(void)
{
	struct live_request r;

	steer.request = enlist_request();
	if (!steer.request)
		return;
	steer.line.asked = &steer.request->number;
	if (read_request(&r) && r.number)
		follow_request(&r, 0, false);
	steer.phases = r.phases;
}

SIGSAFE bool steering_look(void)
{
	struct live_request r;
	bool turned;

	if (__atomic_load_n(steer.line.asked, __ATOMIC_RELAXED) ==
		    steer.line.seen ||
	    is_rank_of_mpi() || !lock_try(&steer.lock))
		return false;
	turned = read_request(&r) && r.number != steer.line.seen &&
		 follow_request(&r, 0, true);
	if (turned)
		__atomic_fetch_add(&steer.request->turned, 1, __ATOMIC_RELAXED);
	lock_give(&steer.lock);
	return turned;
}

/*
 * Calls.
 */

static void turn_not_before(uint64_t calls)
{
	if (calls < steer.line.turn_at)
		steer.line.turn_at = calls;
}

static void turn_by_request(uint64_t calls)
{
	struct live_request r;

	if (!steer.request || !read_request(&r) || r.number == steer.is.number)
		return;
	steer.line.seen = r.number;
	if (calls < r.from) {
		turn_not_before(r.from);
		return;
	}
	if (r.phases != steer.phases && !phase_steer(r.phase)) {
		turn_not_before(calls + 1);
		return;
	}
	steer.phases = r.phases;
	follow_request(&r, calls, false);
}

PUBLIC void copse_steering_turn(uint64_t calls)
{
	if (!lock_try(&steer.lock))
		return;
	steer.line.turn_at = iterations_turn(calls);
	turn_by_request(calls);
	lock_give(&steer.lock);
}

PUBLIC struct copse_steering *copse_steering_begin(void)
{
	struct live_header *header = registry_header();

	if (header) {
		steer.line.calls = &header->steering.calls;
		control_by_calls();
	}
	steer.line.turn_at = iterations_turn(0);
	return &steer.line;
}

/* The parent's profile is not there, and no rank of MPI is a child. */
AT_FORK static void steering_fork(void)
{
	lock_open(&steer.lock);
	steer.line.calls = &calls_of_nobody;
}

const struct source source_steering = {
	.fork = steering_fork,
	.describe = steering_describe,
};
