/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * python-code.h - code objects of Python, each named once in the live profile:
 * its qualified name, its file, and the table of its lines as it is.
 *
 * An object is known by its address, and by those of its name and its table:
 * another one may take its place.
 *
 * Threads   Any; one adds a name at a time.
 * Signals   All may run in a handler.
 */
#ifndef COLLECT_PYTHON_PYTHON_CODE_H
#define COLLECT_PYTHON_PYTHON_CODE_H

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

enum python_code {
	PYTHON_CODE_NAMED,
	PYTHON_CODE_NONE, /* there is none, or `instr` is not of it */
	PYTHON_CODE_BUSY, /* not now */
};

struct python_place {
	uintptr_t code, instr; /* an object, an instruction of it */
	bool alone;            /* no other one is asked for now */
	bool alive;            /* it stays: it can be read as it is */
};

/* The number of that object's name.  `room` is of PYTHON_ROOM bytes. */
SIGSAFE enum python_code python_code_name(const struct python_layout *layout,
					  struct safe_read *reader,
					  const struct python_place *at,
					  char *room, uint32_t *name);

#endif
