/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inputs.h - the files of a directory that hold profiles, in the order in
 * which they are added.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "profile/profile.h"
#include "run/run.h"

struct input {
	char *label;              /* "rank-3.h5", "node-oak.h5:rank-3.h5" */
	size_t file;              /* bytes of it that are the file's name */
	struct file_extent piece; /* of the file */
	uint32_t same_as; /* duplicates_find(): the number of the one that
			     counts + 1;   0: it does itself */
	bool live;
	bool unfinished; /* what is behind the last profile of a host's file */
};

/* The path of its file, by malloc; NULL: out of memory. */
char *input_path(const struct input *input, const char *directory);

struct inputs {
	struct input *at;
	size_t count;
};

/* Its profile; 0, or -errno with a reason that names the path. */
int input_load(const struct input *input, const char *path,
	       struct profile **to);

/* 0, or -errno with a reason. */
int inputs_list(struct inputs *inputs, const char *directory);

/* What that file of the directory holds, and nothing else. */
void inputs_only(struct inputs *inputs, const char *file);

/* It is named as a profile is, or as a host's file. */
bool inputs_is_name(const char *file);

/* A rank file, or all that a host's holds; the file's name is the path. */
int inputs_of_file(struct inputs *inputs, const char *path);
void inputs_fini(struct inputs *inputs);

/*
 * duplicate-files.c: several files of one process, as a user's `cp` leaves
 * them: the first counts, struct input says so of the others.
 */

/*
 * Mark the inputs of which the run, which has read all of them in their order,
 * knows the process by one before.  0, or -ENOMEM with a reason.
 */
int duplicates_find(struct inputs *inputs, const struct run *run, bool *found);

/* "the same process as in rank-0.h5: left out", to be freed; NULL: no memory.
 */
char *duplicates_say(const struct inputs *inputs, const struct input *input);
