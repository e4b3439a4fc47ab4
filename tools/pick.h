/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pick.h - which run a word of the command line stands for, where it is the
 * only one: a directory that holds a profile is that one; APP, which is none,
 * is the newest of APP.copse, APP.2.copse ... (numbered.h).
 */
#pragma once

#include <stdbool.h>

/* Whether there is a run of that name. */
bool pick_finds(const char *word);

/*
 * Its path, by malloc; the word itself where there is nothing to choose.  Says
 * on stderr which it is when there are several, unless `command` is NULL.  NULL
 * with a reason: it is a program that was not measured, or out of memory.
 */
char *pick_run(const char *word, const char *command);

/* The run in this directory that changed last, by malloc; NULL: there is none.
 */
char *pick_here(void);

/* Where several are named: APP is APP.copse.  By malloc; NULL with a reason:
   out of memory. */
char *pick_exactly(const char *word);
