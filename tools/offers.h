/* SPDX-License-Identifier: BSD-3-Clause */
/* offers.h - what may stand next on a command line that begins so. */
#ifndef TOOLS_OFFERS_H
#define TOOLS_OFFERS_H

/*
 * Prints, for a shell, what the last of the words behind `copse` may become:
 * lines of a word, a tab and its help.  Nothing where a file is wanted, or
 * where the command line is another program's.
 */
void offers_print(int argc, char **argv);

#endif
