/* SPDX-License-Identifier: BSD-3-Clause */
/* guess.h - what was meant by a word that no command, analysis or format has.
 */
#ifndef TOOLS_GUESS_H
#define TOOLS_GUESS_H

#include "base/spelling.h"

/* All that can be typed behind `copse`, and what other tools call it. */
void guess_command(struct spelling *n);

/* What other tools call a command of ours. */
void guess_foreign(struct spelling *n);

#endif
