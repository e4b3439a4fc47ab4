/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * untimed.h - what polls took that were counted and not timed, by what is kept
 * of them and of those that were drawn (struct live_call): told when a profile
 * is read and, for the overlap of requests, while the program runs.
 */
#pragma once

#include "live/layout.h"

static inline uint64_t untimed_part(uint64_t all, uint64_t of, uint64_t whole)
{
	return whole ? (uint64_t)((unsigned __int128)all * of / whole) : 0;
}

/*
 * Few are long: to have one stand for many would be a matter of luck.  But all
 * that was long is known, if not where; it was in polls as often as it was so
 * at those drawn.  Where gaps are as few, none may have been drawn: then that
 * stands for too much, and what the drawn polls stand for is the most.
 */
static inline uint64_t untimed_long_ns(const struct live_call *c)
{
	uint64_t ns =
		untimed_part(c->excess_ns, c->long_ns, c->long_ns + c->gap_ns);
	uint64_t most = untimed_part(c->passed, c->long_ns, c->drawn);

	return c->drawn && most < ns ? most : ns;
}
