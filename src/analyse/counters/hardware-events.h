/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hardware-events.h - the events of hardware counters that analyses know, by
 * any of the names that PAPI and libpfm have for them.
 */
#pragma once

#include "run/run.h"

/* The metric that counted them, or NULL. */
const struct run_metric *hardware_instructions(const struct run *run);
const struct run_metric *hardware_cycles(const struct run *run);
