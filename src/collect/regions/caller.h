/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * caller.h - who called an adapter's function that is no region: a lock, an
 * allocation.
 *
 * Threads   The calling thread's record, from thread_use() on.
 * Signals   Not to be called from handlers.
 */
#pragma once

#include "collect/thread.h"

/* The module that has the address; false: none, or no room for it. */
bool caller_module(struct thread *t, uintptr_t at, struct registry_module *to);

/* The node of the caller's call path, by its frame; 0: no memory, no path. */
live_ref caller_node(struct thread *t, const struct region *call);

/* The same; of what is done inside an MPI call, that call's node. */
live_ref caller_context(struct thread *t, const struct region *call);

/*
 * Between the two a sample waits, and then belongs to that node; the second one
 * ends what thread_use() began.
 */
void caller_hold(struct thread *t);
void caller_release(struct thread *t, live_ref node);
