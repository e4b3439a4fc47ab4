/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * python-code.h - code objects of Python, each named once in the live profile:
 * its qualified name, its file, and the table of its lines as it is.
 *
 * Another object may take the place of one that was named.  It is known by its
 * version, which no two have, or, up to 3.11, by the addresses of its name and
 * its table; these may be used again, too: where an address had another one
 * before, or where code is made while the program runs, by what its name says.
 * What says the same as another one has its name.
 *
 * Threads   Any; one adds a name at a time.
 * Signals   All may run in a handler.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/sigsafe.h"
#include "collect/python/python-layout.h"
#include "collect/unwind/safe-read.h"

enum {
	PYTHON_TEXT = 1024,   /* bytes of a name that are kept, … */
	PYTHON_LINES = 65536, /* … and of a table of lines */
	PYTHON_ROOM = 2 * PYTHON_TEXT + PYTHON_LINES
};

enum {
	PYTHON_CHANGES_MOST = 16 /* that are counted */
};

enum python_code {
	PYTHON_CODE_NAMED,
	PYTHON_CODE_NONE, /* there is none, or `instr` is not of it */
	PYTHON_CODE_BUSY, /* not now */
};

struct python_place {
	uintptr_t code, instr; /* an object, an instruction of it … */
	int32_t copy;          /* … in which of its bytecodes */
	bool alone;            /* no other one is asked for now */
	bool alive;            /* it stays: it can be read as it is */
};

struct python_name {
	uint32_t index; /* of the live profile */
	uint32_t units; /* of its bytecode, where it is believed unseen; or 0 */
	uint8_t changes; /* at least this many others were there before: it is
			    not believed even where nothing moved */
	uintptr_t begin; /* of the bytecode that has the instruction */
};

/* Is it the begin of one of `units` units, or of the one before the first? */
SIGSAFE static inline bool python_code_has(uint64_t units, uintptr_t offset)
{
	return offset + 2 < 2 * units + 2 && offset % 2 == 0;
}

/* Before the first name is asked for; false: there is no memory. */
bool python_code_ready(void);

/*
 * From now on names are those of another process: what this returned when its
 * names were in use, NULL at first.
 */
void *python_code_exchange(void *names);

/* That object's name.  `room` is of PYTHON_ROOM bytes. */
SIGSAFE enum python_code python_code_name(const struct python_layout *layout,
					  struct safe_read *reader,
					  const struct python_place *at,
					  char *room, struct python_name *name);

/*
 * The same unseen: a function of a file stays where it was named, as long as no
 * other one was found in the place of one that was believed so.
 */
SIGSAFE bool python_code_believed(const struct python_layout *layout,
				  uintptr_t code, uintptr_t instr,
				  struct python_name *name);

/* Of a text object, as it is. */
SIGSAFE uint64_t python_text_identity(const struct python_layout *layout,
				      uintptr_t text);

/*
 * A number that distinguishes the object from others at its address, earlier or
 * later; not 0.  It is read as it is: a function of the calling thread's runs
 * it, and the thread is in none of our handlers.  Text objects keep their hash
 * behind their size, once it was asked for.
 */
SIGSAFE static inline uint64_t
python_code_identity(const struct python_layout *layout, uintptr_t code)
{
	const volatile uintptr_t *name, *lines;
	uintptr_t version = 0, hash;

	if (layout->code.version)
		version = *(const volatile uint32_t *)(code +
						       layout->code.version);
	if (version)
		return version;
	name = (const volatile uintptr_t *)(code + layout->code.name);
	lines = (const volatile uintptr_t *)(code + layout->code.lines);
	hash = *(const volatile uintptr_t *)(*name + layout->object.size +
					     sizeof(hash));
	if (hash == UINTPTR_MAX)
		hash = python_text_identity(layout, *name);
	return (*name * 0x9e3779b97f4a7c15u + *lines * 0xbf58476d1ce4e5b9u +
		hash) |
	       1;
}
