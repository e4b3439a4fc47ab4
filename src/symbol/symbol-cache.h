/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * symbol-cache.h - keeps the names of a module's addresses on disk, by build
 * id.
 *
 * A file is used when its checksum is right, this version of copse wrote it,
 * and the module's file still has the size and time that it had then.  Any
 * other file counts as missing: the cache never fails.  The folder belongs to
 * the user alone (0700).  Its size is bounded: the least recently used files
 * are removed.
 *
 * Threads   Different modules at the same time.  Also different processes: each
 *           file is replaced as a whole.
 */
#pragma once

#include "symbol/symbol.h"

/*
 * Load what is known about the module's build id: *kept gets addresses and
 * their frames, or stays empty.  symbol_cache_free() releases it.
 */
void symbol_cache_load(struct symbol_module *kept,
		       const struct symbol_module *module);
void symbol_cache_free(struct symbol_module *kept);

/* Store the settled answers of the module together with those of `kept`. */
void symbol_cache_store(const struct symbol_module *module,
			const struct symbol_module *kept);

/* Remove the least recently used files until the bound holds. */
void symbol_cache_trim(void);
