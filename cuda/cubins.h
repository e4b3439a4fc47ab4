/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cubins.h - keeps the function names and line tables of code that is loaded
 * into GPUs, to find the lines of samples; the code itself is dropped.  They
 * are kept when a module is loaded, and reported when it has its first sample.
 *
 * Threads   Any.  No lock is held while CUPTI is called.
 */
#pragma once

#include "cuda/cupti.h"

void cubins_loaded(const CUpti_ModuleResourceData *module);

/* The module has a sample. */
void cubins_sampled(uint64_t crc);
