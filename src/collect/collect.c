/* SPDX-License-Identifier: BSD-3-Clause */
/* collect.c - see collect.h; empty where nothing is measured. */
#include "collect/collect.h"

#include "collect/source.h"

struct collector collector;
int64_t collect_pauses;
bool collect_watched;

static const struct source *const none[] = { NULL };

const struct source *const *sources = none;
