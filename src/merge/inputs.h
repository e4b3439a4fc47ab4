/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inputs.h - the files of a directory that hold profiles, in the order in which
 * they are added.
 */
#ifndef MERGE_INPUTS_H
#define MERGE_INPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/blob.h"

struct input {
	char *name; /* of the file */
	bool live;
};

struct inputs {
	struct input *at;
	size_t count;
};

/* 0, or -errno with a reason. */
int inputs_list(struct inputs *inputs, const char *directory);
void inputs_fini(struct inputs *inputs);

/* How many there are before the raw copies, which come last. */
size_t inputs_settled(const struct inputs *inputs);

/* From one process to another; as merge/pack.h. */
void inputs_pack(const struct inputs *inputs, struct blob *to);
int inputs_unpack(struct inputs *inputs, struct blob *from);

#endif
