/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gil.h - the lock that lets one thread at a time run Python: how long it was
 * held, and how long threads waited for it.
 */
#pragma once

#include "analyse/paths/paths.h"
#include "analyse/base/report.h"

/*
 * What it cost, when that is worth a sentence; with a clock of CPU time, which
 * sees no waiting, that several threads took turns.  0, or -ENOMEM.
 */
int gil_say(struct report *report, const struct paths *paths);

/* A row for each process that ran Python. */
void gil_table(struct report *report, const struct run *run);
