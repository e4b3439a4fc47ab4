/* SPDX-License-Identifier: BSD-3-Clause */
/* cubin-lines.c - see cubin-lines.h. */
#include "symbol/cubin-lines.h"

#include <elf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/comparison.h"

enum {
	ADDRESS = 8,  /* bytes of what a relocation sets */
	SECTION = 32, /* a section begins at its index << this */
	LINES_MOST = 1 << 24,
};

struct cubin_line {
	uint64_t address;
	uint32_t order;   /* as it came: the last one at an address is right */
	uint32_t number;  /* 0: there is no line from here on */
	const char *file; /* libdw's */
};

struct cubin_lines {
	char *bytes;
	size_t size;
	Elf *elf;
	Dwarf *dwarf;
	Elf_Data *symbols;                 /* NULL: there are none */
	size_t symbol_count, texts, names; /* sections of texts */
	struct cubin_line *at;
	size_t count, room;
	bool built;    /* with lines */
	GElf_Sym last; /* that was found, of that name */
	uint32_t last_index;
	char *last_function;
};

void cubin_lines_close(struct cubin_lines *l)
{
	if (!l)
		return;
	if (l->dwarf)
		dwarf_end(l->dwarf);
	if (l->elf)
		elf_end(l->elf);
	free(l->at);
	free(l->last_function);
	free(l->bytes);
	free(l);
}

static int damaged_cubin(void)
{
	return fail(-EINVAL, "damaged code of a GPU: its lines are not known");
}

static int open_elf(struct cubin_lines *l)
{
	elf_version(EV_CURRENT);
	if (l->elf)
		elf_end(l->elf);
	l->elf = elf_memory(l->bytes, l->size);
	if (!l->elf || elf_kind(l->elf) != ELF_K_ELF ||
	    gelf_getclass(l->elf) != ELFCLASS64 ||
	    elf_getshdrstrndx(l->elf, &l->names))
		return damaged_cubin();
	return 0;
}

static const char *section_name(const struct cubin_lines *l,
				const GElf_Shdr *header)
{
	const char *name = elf_strptr(l->elf, l->names, header->sh_name);

	return name ? name : "";
}

/* Where a symbol's function begins, by our rule. */
static uint64_t symbol_begin(const GElf_Sym *symbol)
{
	return ((uint64_t)symbol->st_shndx << SECTION) +
	       (symbol->st_value & UINT32_MAX);
}

static bool is_code_symbol(const struct cubin_lines *l, const GElf_Sym *symbol)
{
	Elf_Scn *section = elf_getscn(l->elf, symbol->st_shndx);
	GElf_Shdr header;

	return section && gelf_getshdr(section, &header) &&
	       header.sh_flags & SHF_EXECINSTR;
}

/* SHT_REL: what is to be added stands where it will be. */
static void apply_relocations(struct cubin_lines *l, const GElf_Shdr *target,
			      Elf_Data *symbols, Elf_Data *data, int i,
			      bool explicit)
{
	GElf_Rela relocation;
	GElf_Rel plain;
	GElf_Sym symbol;
	uint64_t address;
	char *at;

	if (explicit ? !gelf_getrela(data, i, &relocation)
		     : !gelf_getrel(data, i, &plain))
		return;
	if (!explicit)
		relocation = (GElf_Rela){ plain.r_offset, plain.r_info, 0 };
	if (relocation.r_offset > target->sh_size ||
	    target->sh_size - relocation.r_offset < ADDRESS ||
	    !gelf_getsym(symbols, (int)GELF_R_SYM(relocation.r_info),
			 &symbol) ||
	    !is_code_symbol(l, &symbol))
		return;
	at = l->bytes + target->sh_offset + relocation.r_offset;
	if (!explicit)
		memcpy(&relocation.r_addend, at, ADDRESS);
	address = symbol_begin(&symbol) + (uint64_t)relocation.r_addend;
	memcpy(at, &address, ADDRESS);
}

static void relocate_lines(struct cubin_lines *l, Elf_Scn *section,
			   const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	Elf_Scn *lines = elf_getscn(l->elf, header->sh_info);
	Elf_Scn *table = elf_getscn(l->elf, header->sh_link);
	Elf_Data *symbols = table ? elf_getdata(table, NULL) : NULL;
	GElf_Shdr target;

	if (!data || !symbols || !lines || !gelf_getshdr(lines, &target) ||
	    strcmp(section_name(l, &target), ".debug_line") != 0 ||
	    target.sh_type == SHT_NOBITS || target.sh_offset > l->size ||
	    target.sh_size > l->size - target.sh_offset || !header->sh_entsize)
		return;
	for (size_t i = 0; i < data->d_size / header->sh_entsize; i++)
		apply_relocations(l, &target, symbols, data, (int)i,
				  header->sh_type == SHT_RELA);
}

static void relocate_all(struct cubin_lines *l)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(l->elf, section))) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) &&
		    (header.sh_type == SHT_RELA || header.sh_type == SHT_REL))
			relocate_lines(l, section, &header);
	}
}

static void look_at_section(struct cubin_lines *l, Elf_Scn *section,
			    const GElf_Shdr *header)
{
	if (header->sh_type == SHT_PROGBITS && header->sh_size &&
	    !strcmp(section_name(l, header), ".debug_line"))
		l->built = true;
	if (header->sh_type != SHT_SYMTAB)
		return;
	l->symbols = elf_getdata(section, NULL);
	l->symbol_count =
		l->symbols ? l->symbols->d_size / sizeof(Elf64_Sym) : 0;
	l->texts = header->sh_link;
}

static void find_sections(struct cubin_lines *l)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(l->elf, section)))
		if (gelf_getshdr(section, &header))
			look_at_section(l, section, &header);
}

static int add_line(struct cubin_lines *l, Dwarf_Line *from)
{
	struct cubin_line line = { .order = (uint32_t)l->count };
	bool ends = true;
	int number = 0;

	if (dwarf_lineaddr(from, &line.address) ||
	    dwarf_lineendsequence(from, &ends) || dwarf_lineno(from, &number))
		return damaged_cubin();
	line.file = ends ? NULL : dwarf_linesrc(from, NULL, NULL);
	if (line.file && number > 0)
		line.number = (uint32_t)number;
	if (l->count == LINES_MOST)
		return no_memory();
	return array_append(&l->at, &l->count, &l->room, sizeof(line), &line)
		       ? 0
		       : -ENOMEM;
}

ORDER_BY(by_line_address, struct cubin_line, ASC(address) ?: ASC(order))

static int read_line_table(struct cubin_lines *l)
{
	Dwarf_Off offset = 0, next;
	Dwarf_CU *cu = NULL;
	Dwarf_Files *files;
	Dwarf_Lines *lines;
	size_t file_count, count;
	int more = 1, err = 0;

	l->dwarf = dwarf_begin_elf(l->elf, DWARF_C_READ, NULL);
	while (l->dwarf && !err &&
	       !(more = dwarf_next_lines(l->dwarf, offset, &next, &cu, &files,
					 &file_count, &lines, &count))) {
		for (size_t i = 0; i < count && !err; i++)
			err = add_line(l, dwarf_onesrcline(lines, i));
		offset = next;
	}
	if (!err && more < 0 && l->built)
		err = damaged_cubin();
	if (l->count)
		qsort(l->at, l->count, sizeof(*l->at), by_line_address);
	return err;
}

int cubin_lines_open(struct cubin_lines **to, const void *bytes, size_t size)
{
	struct cubin_lines *l = calloc(1, sizeof(*l));
	int err;

	*to = l;
	if (l) {
		l->bytes = malloc(size + 1);
		l->size = size;
	}
	if (!l || !l->bytes)
		return no_memory();
	memcpy(l->bytes, bytes, size);
	err = open_elf(l);
	if (!err)
		relocate_all(l);
	if (!err)
		err = open_elf(l);
	if (err)
		return err;
	find_sections(l);
	return read_line_table(l);
}

static bool is_line_function(const struct cubin_lines *l, size_t i,
			     const char *function, GElf_Sym *symbol)
{
	const char *name;

	if (!l->symbols || i >= l->symbol_count ||
	    !gelf_getsym(l->symbols, (int)i, symbol) ||
	    GELF_ST_TYPE(symbol->st_info) != STT_FUNC)
		return false;
	name = elf_strptr(l->elf, l->texts, symbol->st_name);
	return name && !strcmp(name, function);
}

static bool look_for_function(const struct cubin_lines *l, uint32_t index,
			      const char *function, GElf_Sym *symbol)
{
	if (is_line_function(l, index, function, symbol))
		return true;
	for (size_t i = 0; i < l->symbol_count; i++)
		if (is_line_function(l, i, function, symbol))
			return true;
	return false;
}

/* Instructions of one function follow each other. */
static bool find_function(struct cubin_lines *l, uint32_t index,
			  const char *function, GElf_Sym *symbol)
{
	if (l->last_function && l->last_index == index &&
	    !strcmp(l->last_function, function)) {
		*symbol = l->last;
		return true;
	}
	if (!look_for_function(l, index, function, symbol))
		return false;
	free(l->last_function);
	l->last_function = strdup(function);
	l->last_index = index;
	l->last = *symbol;
	return true;
}

/* Functions that a kernel calls are parts of its section, unless it is linked
 * of several files. */
static const char *kernel_of(const struct cubin_lines *l,
			     const GElf_Sym *symbol, const char *function)
{
	static const char text[] = ".text.";
	Elf_Scn *section = elf_getscn(l->elf, symbol->st_shndx);
	GElf_Shdr header;
	const char *name = section && gelf_getshdr(section, &header)
				   ? section_name(l, &header)
				   : "";

	return strncmp(name, text, sizeof(text) - 1) ? function
						     : name + sizeof(text) - 1;
}

/* The last that is not behind the address. */
static const struct cubin_line *find_cubin_line(const struct cubin_lines *l,
						uint64_t address)
{
	size_t low = 0, high = l->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (l->at[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &l->at[low - 1] : NULL;
}

bool cubin_lines_find(struct cubin_lines *l, uint32_t index,
		      const char *function, uint64_t pc, struct cubin_place *to)
{
	const struct cubin_line *line;
	uint64_t address;
	GElf_Sym symbol;

	if (!find_function(l, index, function, &symbol))
		return false;
	*to = (struct cubin_place){ .kernel = kernel_of(l, &symbol, function) };
	if (pc > UINT32_MAX - (symbol.st_value & UINT32_MAX))
		return true;
	address = symbol_begin(&symbol) + pc;
	line = find_cubin_line(l, address);
	if (line && line->number &&
	    line->address >> SECTION == address >> SECTION) {
		to->file = line->file;
		to->line = line->number;
	}
	return true;
}
