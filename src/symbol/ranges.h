/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ranges.h - address ranges that may nest, and the innermost one that holds
 * an address.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct range {
	uint64_t low, high; /* [low, high) */
	uint64_t reach;     /* highest end so far, by ranges_sort() */
	uint32_t index;     /* for the caller's use */
};

struct ranges { /* all zero: none */
	struct range *at;
	size_t count, room;
};

/* 0, or -ENOMEM with a reason; an empty range is left out. */
int ranges_add(struct ranges *ranges, uint64_t low, uint64_t high,
	       uint32_t index);

/* Call this once, after the last ranges_add() and before ranges_find(). */
void ranges_sort(struct ranges *ranges);

/* The innermost range that holds the address, or NULL. */
const struct range *ranges_find(const struct ranges *ranges, uint64_t address);

void ranges_fini(struct ranges *ranges);
