/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run-blob.h - what a process of a team has united, written down for another
 * one that adds it behind its own.
 *
 * Order     Adding keeps the order in which things were met: what process 1
 *           has, added to what process 0 has, is what one process would have
 *           that had read the files of both, number by number.  So a database
 *           does not depend on who read what.
 * Failure   0, or -ENOMEM with a reason; -EPROTO: the blob is not what the same
 *           version of this program writes.
 */
#pragma once

#include "base/blob.h"
#include "run/run.h"

/* The blob ended before what was to be read from it, or memory did. */
int pack_error(const struct blob *from);

/* run-blob.c: entries, losses, problems and what is said of the job. */
void run_pack(const struct run *run, struct blob *to);
/* (*strings)[i], by malloc, is what the other's string i became. */
int run_absorb(struct run *run, struct blob *from, uint32_t **strings);
