/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * symbol-file.h - the parts of symbol.c: an open file of machine code, its two
 * sources of names (ELF and DWARF), its loops, and where the file is found.
 *
 * Threads   One user at a time for each file.
 */
#pragma once

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

#include "symbol/symbol.h"

/*
 * symbol-elf.c: symbol tables, linkage table, unwind information.
 */
struct elf_names;

/* NULL when out of memory. */
struct elf_names *elf_names_new(Dwfl_Module *file);
void elf_names_free(struct elf_names *names); /* NULL is fine */

/*
 * The symbol of the function that holds the address, as it stands in the file
 * (or with "@plt"), by malloc.  NULL: none; *start is then the beginning of the
 * function if it is known, else the address.
 */
char *elf_names_find(struct elf_names *names, uint64_t address,
		     uint64_t *start);

/*
 * The machine code of the function that holds the address, [*low, *high) of the
 * file; NULL: not known, or another processor's.  It lives as long as the file.
 */
const unsigned char *elf_names_code(struct elf_names *names, uint64_t address,
				    uint64_t *low, uint64_t *high);

/*
 * symbol-variants.c: of a library that is in use here, the name of the function
 * that begins there, as memcpy of the C library; NULL: not known.
 */
const char *symbol_variant(const char *path, uint64_t start);

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
 * Fill places, innermost first, with the functions at the address; returns
 * their number.  0: DWARF does not know the address.  The strings live as long
 * as the file.  A place has no name if only its line is known.  *settled: other
 * debug information could not add anything.
 */
size_t dwarf_names_find(struct dwarf_names *names, uint64_t address,
			struct dwarf_place places[DWARF_PLACES], bool *settled);

/* Identifies the row of the line table for the address; NULL: none. */
const void *dwarf_names_row(struct dwarf_names *names, uint64_t address);

/*
 * True when the target's function is in the same unit as `from` and is declared
 * not to return.
 */
bool dwarf_names_ends(struct dwarf_names *names, uint64_t from,
		      uint64_t target);

/*
 * The name of the first file of split debug information that was needed and is
 * missing; NULL: none.  It lives as long as the names.
 */
const char *dwarf_names_missing(const struct dwarf_names *names);

/*
 * symbol-open.c: a file, by its path or its build id.
 */
struct symbol_file { /* all zero: none */
	Dwfl *dwfl;
	Dwfl_Module *module;
	struct elf_names *elf;
	struct dwarf_names *dwarf;
};

/*
 * 0, also when there is no such file; *file is then empty, and *problem, by
 * malloc, says why if that matters.  -ENOMEM with a reason.
 */
int symbol_file_open(struct symbol_file *file, const struct symbol_module *m,
		     char **problem);
void symbol_file_close(struct symbol_file *file);

/*
 * symbol-loops.c: loops.
 */
struct loop_names;

struct loop_place {
	const char *file;     /* lives as long as the file of machine code */
	uint32_t first, last; /* lines */
	size_t depth;         /* of the function it is in; the outermost is 1 */
};

#define LOOP_PLACES 32 /* loops around an address, at most */

struct loop_names *loop_names_new(void);        /* NULL when out of memory */
void loop_names_free(struct loop_names *names); /* NULL is fine */

/*
 * The loops around the address, outermost first; returns their number. `places`
 * are those of the address, by dwarf_names_find().
 */
size_t loop_names_find(struct loop_names *names, struct symbol_file *file,
		       uint64_t address, const struct dwarf_place *places,
		       size_t count, struct loop_place to[LOOP_PLACES]);

/*
 * symbol-zstd.c: sections that libelf cannot expand itself.  Takes over fd and
 * returns a descriptor of a file in which they are expanded, as far as
 * possible.
 */
int zstd_expand(int fd);

/*
 * symbol-remote.c: downloads by debuginfod, if DEBUGINFOD_URLS is set.  All
 * together may take the seconds of symbol_options.
 */
void remote_begin(unsigned int seconds);
void remote_watch(Dwfl *dwfl);         /* count its requests as well */
int remote_open(const char *build_id); /* a descriptor, or -errno */
bool remote_asking(void);              /* a request is under way */
