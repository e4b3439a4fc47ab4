/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * symbol.h - symbolises: from addresses in a file of machine code to functions
 * and lines.
 *
 * Names      come from DWARF, of the file itself or of its separate debug file
 *            (build id or .gnu_debuglink, below /usr/lib/debug; debuginfod
 *            where DEBUGINFOD_URLS is set), else from .symtab, else from
 *            .dynsym.  C++ and Rust names are demangled,
 *            with template arguments and without parameters; Fortran's module
 *            procedures read module::procedure; an entry of the linkage table
 *            is name@plt.  A function without any name is module+0xoffset,
 *            where the offset is the function's beginning when the unwind
 *            information tells, else the address itself.
 * Ownership  The caller owns path, build_id and addresses; what symbols_find()
 *            adds belongs to the module until symbol_module_fini().
 * Cache      Names are kept in a folder of the user, by build id, so that the
 *            next merge need not open the file.
 * Threads    symbols_find() works on several modules in parallel, and on pieces
 *            of a large one.  Set the options before.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum {
	SYMBOL_INLINED = 1,
	SYMBOL_UNNAMED = 2,
	SYMBOL_SETTLED = 4, /* final: the cache may keep it */
	SYMBOL_LOOP = 8 /* no function, but a loop around the frames before */
};

/*
 * One function that an address belongs to.  `file` and `line` are the place in
 * this function: of the address itself in the innermost frame, of the inlined
 * call in all others.  Line 0: not known.  A loop has the name of its function,
 * which is the next frame that is no loop.
 */
struct symbol_frame {
	uint32_t function, file; /* strings of the module */
	uint32_t line;
	uint32_t flags;
	uint32_t last; /* of a loop: its last line, `line` is the first one */
};

struct symbol_module {
	const char *path;
	const char *build_id;      /* hexadecimal, "": not known */
	const uint64_t *addresses; /* as in the file; ascending */
	size_t count;

	/* The answer: frames of addresses[i], innermost first, are
	   frames[first[i]] ... frames[first[i + 1] - 1], at least one. */
	uint32_t *first;
	struct symbol_frame *frames;
	size_t frame_count, frame_room;
	struct strings strings;
	char *problem; /* one sentence if the file was of no use, else NULL */
};

/*
 * Called now and then by the thread that called symbols_find().  `what` names
 * the step that takes the time, mostly "finding names".
 */
struct symbol_progress {
	void (*step)(void *to, const char *what, size_t done, size_t of);
	void *to;
};

struct symbol_options {
	/* Where names are kept: a folder's path, "off", or NULL, which means
	   $XDG_CACHE_HOME/copse, else $HOME/.cache/copse. */
	const char *cache;
	/* For debuginfod, all files together; UINT_MAX: 60. */
	unsigned int fetch_seconds;
	unsigned int threads; /* 0: as many as there are cores */
	/* An open file that has what was removed, or replaced, if its build id
	   is the one wanted; -1: none. */
	int program;
	enum symbol_loops {
		SYMBOL_LOOPS_DEFAULT,
		SYMBOL_LOOPS_ON,
		SYMBOL_LOOPS_OFF
	} loops;
};

/*
 * Mutable: for the whole process, to be set before symbols_find().  The
 * variables COPSE_CACHE, COPSE_FETCH and COPSE_LOOPS set what is not set here.
 */
extern struct symbol_options symbol_options;

/* Whether loops are looked for, by the options and the environment. */
bool symbol_loops(void);

/*
 * Find the names of all addresses.  A file that is missing or has changed is
 * no failure: its addresses become module+0xoffset and `problem` says why.
 * 0, or -ENOMEM with a reason.  progress may be NULL.
 */
int symbols_find(struct symbol_module *modules, size_t count,
		 const struct symbol_progress *progress);

void symbol_module_fini(struct symbol_module *module);

/*
 * A name of an object file as people write it, by malloc; NULL when out of
 * memory.
 */
char *symbol_readable(const char *name);

/* Whether a name in an object file is that of a parallel region; not NULL's. */
bool symbol_is_parallel(const char *name);
