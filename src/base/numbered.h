/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * numbered.h - numbers the directories of several runs of one name: NAME.copse,
 * NAME.2.copse, NAME.3.copse ...  A name without the suffix .copse becomes
 * NAME, NAME.2, NAME.3 ...  Names do not end in a slash.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The n-th of that name, from 1 on, by malloc; NULL: out of memory. */
char *numbered_name(const char *name, unsigned int n);

/* Whether `path` is the name itself or a numbered one of it. */
bool numbered_is(const char *path, const char *name);

/* Whether it is a directory that copse has made and something is in. */
bool numbered_has_profile(const char *path);

/*
 * Among the directories of that name that hold profiles: the one whose job
 * began last, by malloc, and their number.  NULL: none, or out of memory.
 */
char *numbered_newest(const char *name, size_t *count);
