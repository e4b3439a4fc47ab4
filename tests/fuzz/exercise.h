/* SPDX-License-Identifier: BSD-3-Clause */
/* exercise.h - what is done with foreign input once a reader has taken it. */
#pragma once

#include "run/run.h"
#include "profile/profile.h"

/* A directory of this process, made below the current one when first asked. */
const char *exercise_directory(void);

/* Any number of the input's, so that it always takes the same turn. */
uint32_t exercise_choice(const void *data, size_t size);

/*
 * One of the analyses in one of the formats, or an export, or a gate on the run
 * against itself: all in turn, as all each time would take a tenth of a second.
 */
void exercise_run(const struct run *run, uint32_t choice);

/* All analyses, of the run and of it beside itself, in all formats. */
void exercise_reports(const struct run *run);

/*
 * Saves, loads and merges; frees it.  Paths of modules are made such that
 * no file of this machine is read for names.
 */
void exercise_profile(struct profile *p, uint32_t choice);
