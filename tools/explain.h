/* SPDX-License-Identifier: BSD-3-Clause */
/* explain.h - copse help WORD: what the word is, wherever it stands. */
#ifndef TOOLS_EXPLAIN_H
#define TOOLS_EXPLAIN_H

/*
 * Prints what the glossary says of the words ("load balance"), and the help of
 * a command, or of what its first word may be; else all options, metrics and
 * losses of that name.  Of several words that mean nothing together the last
 * one is explained.  The exit status: 2 after a message when there are none.
 */
int explain(int count, char *const *words);

#endif
