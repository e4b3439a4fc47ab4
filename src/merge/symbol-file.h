/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * symbol-file.h - the parts of symbol.c: one opened file of machine code, and
 * the two kinds of tables in it that know names.
 *
 * Threads   One user at a time for each file.
 */
#ifndef MERGE_SYMBOL_FILE_H
#define MERGE_SYMBOL_FILE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

#include "merge/symbol.h"

/*
 * symbol-elf.c: symbol tables, linkage table, unwind information.
 */
struct elf_names;

/* NULL when out of memory. */
struct elf_names *elf_names_new(Dwfl_Module *file);
void elf_names_free(struct elf_names *names); /* NULL is fine */

/*
 * The symbol of the function that holds the address, as the file has it (or
 * with "@plt"), by malloc.  NULL: none, *start is then the beginning of the
 * function when it is known, else the address.
 */
char *elf_names_find(struct elf_names *names, uint64_t address,
		     uint64_t *start);

/*
 * symbol-dwarf.c: functions, inlined functions and lines.
 */
struct dwarf_names;

/* NULL when the file has no DWARF, or out of memory. */
struct dwarf_names *dwarf_names_new(Dwfl_Module *file);
void dwarf_names_free(struct dwarf_names *names); /* NULL is fine */

struct dwarf_place {
	const char *name; /* as in the object file, "" when there is none */
	bool linkage;     /* name is the linker's, not the bare one */
	const char *file; /* "" when not known */
	uint32_t line;
	bool inlined;
};

#define DWARF_PLACES 64 /* functions inlined into each other, at most */

/*
 * Fill places, innermost first, with the functions at the address; the number
 * of them.  0: DWARF says nothing about the address.  The strings live as
 * long as the file.  A place of which only the line is known has no name.
 */
size_t dwarf_names_find(struct dwarf_names *names, uint64_t address,
			struct dwarf_place places[DWARF_PLACES]);

#endif
