/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cubins.h - what is kept of the code that is loaded into GPUs, to find the
 * lines of samples: names of functions and tables of lines, not the code.  It
 * is kept when a module is loaded, and told when a sample falls into it.
 *
 * Threads   Any.  No lock is held while CUPTI is called.
 */
#ifndef CUDA_CUBINS_H
#define CUDA_CUBINS_H

#include "cuda/cupti.h"

void cubins_loaded(const CUpti_ModuleResourceData *module);

/* A sample fell into it. */
void cubins_sampled(uint64_t crc);

/*
 * A smaller ELF file with what is kept of one: as many sections, and of the
 * others no contents.  To be freed; NULL: it is none, or there is no memory.
 */
void *cubin_reduced(const void *cubin, size_t size, size_t *to_size);

#endif
