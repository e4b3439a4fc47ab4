/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * types.h - the sizes of datatypes; those of MPI's own, which never go, are
 * asked for once.
 *
 * Threads   Any.
 */
#pragma once

#include <mpi.h>
#include <stdint.h>

#include "base/hidden.h"
#include "mpi/handles.h"

#define TYPES_KNOWN 64

struct type_known {
	_Atomic uintptr_t key; /* 0: none; written last */
	uint64_t size;
};
extern HIDDEN struct type_known types_known[TYPES_KNOWN];

/* For what types_known[] does not have. */
uint64_t type_ask(MPI_Datatype type);

static inline uint32_t type_place(uintptr_t key)
{
	return (uint32_t)(key * 0x9e3779b97f4a7c15u >> 58);
}

/* In bytes, 0 for no type. */
static inline uint64_t type_size(MPI_Datatype type)
{
	uintptr_t key = handle_key(type);
	const struct type_known *known = &types_known[type_place(key)];

	if (atomic_load_explicit(&known->key, memory_order_acquire) == key &&
	    key)
		return known->size;
	return type_ask(type);
}

void types_forked(void); /* in the child */
