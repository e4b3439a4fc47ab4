/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * deferred-receives.c - sums of a call, a posted size, and a power of two of
 * what came, in a table of open addressing.
 */
#include "mpi/deferred-receives.h"

#include <stdbool.h>
#include <string.h>

#include "collect/regions/region.h"
#include "base/hash.h"
#include "mpi/messages.h"

enum {
	SUMS = 4096
};

static struct sum {
	struct live_call *call; /* NULL: free */
	uint64_t posted;
	uint64_t times, bytes;
	int log2;
} sums[SUMS];

static bool any; /* else no page of them was touched, nor shall be */

static int log2_of(uint64_t bytes)
{
	return bytes ? 64 - __builtin_clzll(bytes) : 0;
}

/* NULL: no room. */
static struct sum *deferred_sum(struct live_call *call, uint64_t posted,
				int log2)
{
	uint64_t at = hash_pair((uintptr_t)call ^ posted, (uint64_t)log2);

	for (int i = 0; i < SUMS; i++, at++) {
		struct sum *s = &sums[at % SUMS];

		if (!s->call)
			*s = (struct sum){ .call = call,
					   .posted = posted,
					   .log2 = log2 };
		if (s->call == call && s->posted == posted && s->log2 == log2)
			return s;
	}
	return NULL;
}

void receives_arrived(struct live_call *call, uint64_t posted, uint64_t bytes)
{
	struct sum *s;

	messages_lock();
	any = true;
	s = deferred_sum(call, posted, log2_of(bytes));
	if (s) {
		s->times++;
		s->bytes += bytes;
	}
	messages_unlock();
}

void receives_settle(void)
{
	for (int i = 0; any && i < SUMS; i++)
		if (sums[i].call)
			copse_region_arrived(sums[i].call, sums[i].posted,
					     sums[i].bytes, sums[i].times);
	receives_forked();
}

void receives_forked(void)
{
	if (!any)
		return;
	memset(sums, 0, sizeof(sums));
	any = false;
}
