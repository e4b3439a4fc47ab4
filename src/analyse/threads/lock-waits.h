/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lock-waits.h - waits of threads for locks and for each other: for what,
 * where, and where it was held meanwhile.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/paths/paths.h"
#include "analyse/base/report.h"

/* A lock, or what else is waited for, of one name; over all ranks. */
struct lock_waits {
	uint32_t node; /* one of it */
	bool holds;    /* it is a lock: somebody holds it */
	bool of_mpi;   /* it is held in calls of MPI */
	double waits, waited;
	double blamed; /* of waited, what is known of its holders */
	/* Where most was waited, and where it was given back by those for whom
	   most was waited; 0: not known. */
	uint32_t waiter, holder;
	double at_waiter, at_holder;
};

struct lock_table {
	/* Locks first, the program's own before MPI's, and of them those waited
	   for most. */
	struct lock_waits *at;
	size_t count;
	double waited; /* for the program's own locks alone */
	double worked; /* CPU time */
};

/* 0, or -ENOMEM with a reason. */
int lock_table_find(struct lock_table *to, const struct paths *paths);
void lock_table_fini(struct lock_table *table);

/* "mutex queue_lock"; to be freed, NULL: no memory. */
char *lock_waits_name(const struct lock_waits *l, const struct run *run);

/* What waits for locks cost, when it is worth a sentence. 0, or -ENOMEM. */
int lock_table_say(struct report *report, const struct paths *paths);

/* A row for each, at most so many of locks and as many of others. */
int lock_table_put(struct report *report, const struct paths *paths,
		   size_t limit);
