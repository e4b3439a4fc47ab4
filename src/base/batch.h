/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * batch.h - what a batch system reports about its job: the rows of batch.def.
 *
 * A batch is plain data of fixed size, so that a live profile can hold it.  All
 * zero means: no batch job.  Texts that do not fit are cut and end in "...".
 */
#pragma once

#include <stddef.h>

struct batch {
	char manager[16]; /* "Slurm"; "": there is none */
#define FACT(name, bytes, ...) char name[bytes];
#include "base/batch.def"
};

/* Describes a member.  That of `manager` has no variables: all are NULL. */
struct batch_info {
	const char *name, *column, *help; /* column: batch_NAME */
	size_t offset, size;              /* in struct batch */
	char letter;
	const char *variables[3]; /* the environment's, one for each manager */
};

extern const struct batch_info batch_infos[];
extern const size_t batch_count;

/* Fill it in from this process's environment. */
void batch_init(struct batch *b);

/* The text of a member; "" when the batch system does not report it. */
const char *batch_text(const struct batch *b, const struct batch_info *info);

/* Set a member to the first `length` bytes of a text that may be foreign. */
void batch_set(struct batch *b, const struct batch_info *info, const char *text,
	       size_t length);

/* Copy bytes that may be foreign: every member of `to` is a valid text. */
void batch_take(struct batch *to, const struct batch *from);
