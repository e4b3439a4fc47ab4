/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pack.h - what a process of a team has united, written down for another one
 * that adds it behind its own.
 *
 * Order     Adding keeps the order in which things were met: what process 1
 *           has, added to what process 0 has, is what one process would have
 *           that had read the files of both, number by number.  So a database
 *           does not depend on who read what.
 * Failure   0, or -ENOMEM with a reason; -EPROTO: the blob is not what the same
 *           version of this program writes.
 */
#ifndef MERGE_PACK_H
#define MERGE_PACK_H

#include "base/blob.h"
#include "merge/gather.h"
#include "merge/run.h"
#include "merge/team.h"
#include "merge/traffic.h"
#include "merge/unify.h"

/* The blob ended before what was to be read from it, or memory did. */
int pack_error(const struct blob *from);

/* run-pack.c: entries, losses, problems and what is said of the job. */
void run_pack(const struct run *run, struct blob *to);
/* (*strings)[i], by malloc, is what the other's string i became. */
int run_absorb(struct run *run, struct blob *from, uint32_t **strings);

/* unify-pack.c: the tree, without its values, but with where there are any. */
int unify_pack(const struct unify *unify, struct blob *to);
/* (*nodes)[i], by malloc, is what the other's node i became, of *count. */
int unify_absorb(struct unify *unify, struct blob *from, uint32_t **nodes,
		 size_t *count);

/* The nodes that have values, here or in processes that were absorbed. */
void unify_valued(const struct unify *unify, bool *nodes);

/* gather.c: before that, by all processes of a team. */
int gather_agree(struct gathered *parts, struct team *team);

/* gather.c, traffic.c: `process` is what the other's process 0 became. */
void gather_pack(const struct gathered *parts, struct blob *to);
int gather_absorb(struct gathered *parts, struct blob *from, uint32_t process,
		  const uint32_t *nodes);
void traffic_pack(const struct traffic *traffic, struct blob *to);
int traffic_absorb(struct traffic *traffic, struct blob *from, uint32_t process,
		   const uint32_t *nodes);

#endif
