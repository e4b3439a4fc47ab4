/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * deferred-receives.h - receives that another thread completes than the one
 * that began them, and that have brought less than was counted then: they are
 * put right when no thread calls MPI any more, since only a thread itself
 * changes its records before.
 *
 * Threads   receives_arrived() any; the others when no other thread is here.
 */
#pragma once

#include <stdint.h>

struct live_call;

/* Of too many different ones some stay as they were counted. */
void receives_arrived(struct live_call *call, uint64_t posted, uint64_t bytes);

void receives_settle(void); /* after MPI_Finalize */
void receives_forked(void); /* in the child: the records are the parent's */
