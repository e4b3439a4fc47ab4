/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * symbol-cache.h - names of a module's addresses, kept on disk by build id.
 *
 * A file is believed when its checksum is right, this version of copse wrote
 * it, and the module's file has the size and the time that it had then.  What
 * cannot be read, written or believed is as if it were not there: a cache never
 * fails.  The folder belongs to the user alone (0700); what is in it is
 * bounded, the files that were not used for longest go first.
 *
 * Threads   Several modules at a time; several processes, each file is
 *           replaced as a whole.
 */
#ifndef SYMBOL_SYMBOL_CACHE_H
#define SYMBOL_SYMBOL_CACHE_H

#include "symbol/symbol.h"

/*
 * What is known of the module's build id: *kept gets addresses of its own and
 * their answers, or stays empty.  symbol_cache_free() releases it.
 */
void symbol_cache_load(struct symbol_module *kept,
		       const struct symbol_module *module);
void symbol_cache_free(struct symbol_module *kept);

/* Keep the settled answers of the module, beside those that were kept. */
void symbol_cache_store(const struct symbol_module *module,
			const struct symbol_module *kept);

/* Remove what was not used for longest, down to the bound. */
void symbol_cache_trim(void);

#endif
