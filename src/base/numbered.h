/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * numbered.h - directories of profiles of one name: NAME.copse, NAME.2.copse,
 * NAME.3.copse ...; and of a name of another kind NAME, NAME.2, NAME.3 ...
 * A name has no slash at its end.
 */
#ifndef BASE_NUMBERED_H
#define BASE_NUMBERED_H

#include <stdbool.h>
#include <stddef.h>

/* The n-th of that name, from 1 on, by malloc; NULL: out of memory. */
char *numbered_name(const char *name, unsigned int n);

/* Whether `path` is the name itself or one of its numbered ones. */
bool numbered_is(const char *path, const char *name);

/*
 * Of the directories of that name that hold profiles the one whose job began
 * last, by malloc, and how many there are; NULL: none, or out of memory.
 */
char *numbered_newest(const char *name, size_t *count);

#endif
