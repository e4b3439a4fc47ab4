/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * loaded-object.h - which object (program, library, vdso) code belongs to, in a
 * signal handler: no lock is taken.
 *
 * Method    The C library's _dl_find_object() where it has one (glibc 2.35).
 *           Else a table of our own, made from the loader's public list:
 *           objects that are there at the start stay; later ones are looked at
 *           again when dlclose() was called or the list has a new end.
 * Limits    Of the table: 2,048 objects of each kind, none of dlmopen()'s.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/hidden.h"
#include "base/sigsafe.h"

struct link_map;

/* As the C library's struct dl_find_object begins. */
struct loaded_object {
	unsigned long long flags;
	uintptr_t start, end;
	const struct link_map *map;
	uintptr_t eh_frame; /* its PT_GNU_EH_FRAME; 0: none */
	uint64_t reserved[7];
};

enum loaded_found {
	LOADED_NONE, /* code of no object */
	LOADED_FOUND,
	LOADED_CHANGES, /* libraries come or go: not to be known now */
};

/* Before all else; the collector may start before its constructors run. */
void loaded_object_start(void);

SIGSAFE enum loaded_found loaded_object_look(struct loaded_object *to,
					     uintptr_t pc);

/* Whether it is known now. */
SIGSAFE static inline bool loaded_object_find(struct loaded_object *to,
					      const void *code)
{
	return loaded_object_look(to, (uintptr_t)code) == LOADED_FOUND;
}

/* The same for adapters. */
PUBLIC bool copse_loaded_object(struct loaded_object *to, const void *code);
