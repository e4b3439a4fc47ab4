/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * symbol-elf.c - function names from .symtab or .dynsym, entries of the
 * linkage table from the relocations, beginnings from unwind information.
 */
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdio.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arch/elf-names.h"
#include "arch/instructions.h"
#include "base/comparison.h"
#include "base/str.h"
#include "symbol/ranges.h"
#include "symbol/symbol-file.h"

struct symbol {
	uint64_t address, end; /* end: of its section, when it has no size */
	const char *name;
	int bind;
	bool sized;
};

struct elf_names {
	Dwfl_Module *file;
	Dwarf_CFI *cfi;
	Dwarf_Addr cfi_bias;
	struct symbol *symbols; /* by address, one each */
	size_t count;
	struct ranges ranges; /* of those with a size; index: of symbols */
};

/* The section of that kind that a symbol is in; false when it is in none. */
static bool symbol_section(Elf *elf, GElf_Word index, GElf_Xword flags,
			   GElf_Shdr *header)
{
	Elf_Scn *section = elf ? elf_getscn(elf, index) : NULL;

	return section && gelf_getshdr(section, header) &&
	       header->sh_flags & flags;
}

/* True when the symbol number `index` names code, or a variable: a lock. */
static bool take_symbol(Dwfl_Module *file, int index, struct symbol *to)
{
	Dwarf_Addr bias;
	GElf_Shdr section;
	GElf_Addr address;
	GElf_Word where;
	GElf_Sym symbol;
	bool variable;
	Elf *elf;
	int type;

	to->name = dwfl_module_getsym_info(file, index, &symbol, &address,
					   &where, &elf, &bias);
	type = GELF_ST_TYPE(symbol.st_info);
	variable = type == STT_OBJECT && symbol.st_size > 0;
	if (!to->name || !*to->name || where == SHN_UNDEF ||
	    (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE &&
	     !variable))
		return false;
	if (!symbol_section(elf, where, variable ? SHF_WRITE : SHF_EXECINSTR,
			    &section))
		return false;
	to->address = symbol.st_value + bias;
	to->bind = GELF_ST_BIND(symbol.st_info);
	to->sized = symbol.st_size > 0;
	to->end = to->sized ? to->address + symbol.st_size
			    : section.sh_addr + section.sh_size + bias;
	return true;
}

static size_t leading_underscores(const char *name)
{
	return strspn(name, "_");
}

/* Lower is the name people know, of several for one address. */
static int bind_order(const struct symbol *s)
{
	return s->bind == STB_GLOBAL ? 0 : s->bind == STB_WEAK ? 1 : 2;
}

ORDER_BY(by_symbol_address, struct symbol,
	 ASC(address) ?: DESC(sized) ?:
	 ORDER(leading_underscores(a->name), leading_underscores(b->name)) ?:
	 ORDER(bind_order(a), bind_order(b)) ?: strcmp(a->name, b->name))

static int list_symbols(struct elf_names *names)
{
	int count = dwfl_module_getsymtab(names->file);
	size_t kept = 0;

	if (count <= 0)
		return 0;
	names->symbols = calloc((size_t)count, sizeof(*names->symbols));
	if (!names->symbols)
		return -ENOMEM;
	for (int i = 0; i < count; i++)
		if (take_symbol(names->file, i, &names->symbols[names->count]))
			names->count++;
	qsort(names->symbols, names->count, sizeof(*names->symbols),
	      by_symbol_address);
	for (size_t i = 0; i < names->count; i++) {
		struct symbol *s = &names->symbols[i];

		if (kept && names->symbols[kept - 1].address == s->address)
			continue;
		names->symbols[kept] = *s;
		if (s->sized && ranges_add(&names->ranges, s->address, s->end,
					   (uint32_t)kept))
			return -ENOMEM;
		kept++;
	}
	names->count = kept;
	ranges_sort(&names->ranges);
	return 0;
}

struct elf_names *elf_names_new(Dwfl_Module *file)
{
	struct elf_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->file = file;
	names->cfi = dwfl_module_eh_cfi(file, &names->cfi_bias);
	if (list_symbols(names)) {
		elf_names_free(names);
		return NULL;
	}
	return names;
}

void elf_names_free(struct elf_names *names)
{
	if (!names)
		return;
	free(names->symbols);
	ranges_fini(&names->ranges);
	free(names);
}

/*
 * The beginning of the function by its unwind information, and its end; 0: not
 * known.
 */
static uint64_t unwind_start(struct elf_names *names, uint64_t address,
			     uint64_t *end)
{
	Dwarf_Addr start;
	Dwarf_Frame *frame;

	if (!names->cfi ||
	    dwarf_cfi_addrframe(names->cfi, address - names->cfi_bias, &frame))
		return 0;
	if (dwarf_frame_info(frame, &start, end, NULL) < 0)
		start = 0;
	free(frame);
	*end += names->cfi_bias;
	return start ? start + names->cfi_bias : 0;
}

/* The last symbol at or before the address, when it has no size. */
static const struct symbol *sizeless_symbol(const struct elf_names *names,
					    uint64_t address)
{
	size_t from = 0, to = names->count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (names->symbols[middle].address <= address)
			from = middle + 1;
		else
			to = middle;
	}
	if (!from || names->symbols[from - 1].sized ||
	    names->symbols[from - 1].end <= address)
		return NULL;
	return &names->symbols[from - 1];
}

/* The section that holds an address, and its header. */
static Elf_Scn *section_at(Elf *elf, uint64_t address, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, header) &&
		    header->sh_flags & SHF_ALLOC &&
		    header->sh_type != SHT_NOBITS &&
		    address >= header->sh_addr &&
		    address - header->sh_addr < header->sh_size)
			return section;
	return NULL;
}

/* Instructions of other processors are not read. */
static bool is_of_this_processor(Elf *elf)
{
	GElf_Ehdr header;

	return gelf_getehdr(elf, &header) && header.e_machine == ELF_MACHINE;
}

/* The slot that the linkage entry around `at` jumps through; 0: none. */
static uint64_t plt_slot(Elf *elf, uint64_t at)
{
	GElf_Shdr header;
	Elf_Scn *section = section_at(elf, at, &header);
	size_t index, entry, size;
	const unsigned char *code;
	Elf_Data *data;
	const char *name;
	uintptr_t slot;

	if (!section || !is_of_this_processor(elf) ||
	    elf_getshdrstrndx(elf, &index))
		return 0;
	name = elf_strptr(elf, index, header.sh_name);
	data = elf_getdata(section, NULL);
	if (!name || strncmp(name, ".plt", 4) != 0 || !data || !data->d_buf)
		return 0;
	size = header.sh_entsize >= 8 ? header.sh_entsize : 16;
	entry = (at - header.sh_addr) / size * size;
	code = data->d_buf;
	for (size_t i = entry; i < entry + size && i < data->d_size; i++)
		if (instructions_linkage(code + i, data->d_size - i,
					 header.sh_addr + i, &slot))
			return slot;
	return 0;
}

/* The name of the symbol that a relocation puts into the slot, or NULL. */
static const char *slot_symbol(Elf *elf, Elf_Scn *section,
			       const GElf_Shdr *header, uint64_t slot)
{
	Elf_Scn *symbols = elf_getscn(elf, header->sh_link);
	Elf_Data *data = elf_getdata(section, NULL);
	Elf_Data *table = symbols ? elf_getdata(symbols, NULL) : NULL;
	GElf_Shdr strings;
	GElf_Rela rela;
	GElf_Sym symbol;

	if (!data || !table || !gelf_getshdr(symbols, &strings))
		return NULL;
	for (int i = 0; gelf_getrela(data, i, &rela); i++)
		if (rela.r_offset == slot &&
		    gelf_getsym(table, (int)GELF_R_SYM(rela.r_info), &symbol))
			return elf_strptr(elf, strings.sh_link, symbol.st_name);
	return NULL;
}

/* "name@plt" by malloc, or NULL. */
static char *plt_name(struct elf_names *names, uint64_t address)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(names->file, &bias);
	uint64_t slot = elf ? plt_slot(elf, address - bias) : 0;
	const char *name = NULL;
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while (slot && !name && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) &&
		    header.sh_type == SHT_RELA && header.sh_flags & SHF_ALLOC)
			name = slot_symbol(elf, section, &header, slot);
	return name && *name ? str_format("%s@plt", name) : NULL;
}

char *elf_names_find(struct elf_names *names, uint64_t address, uint64_t *start)
{
	const struct range *range = ranges_find(&names->ranges, address);
	uint64_t end, unwind = unwind_start(names, address, &end);
	const struct symbol *symbol;
	char *name;

	*start = address;
	if (range)
		return strdup(names->symbols[range->index].name);
	name = plt_name(names, address);
	if (name)
		return name;
	/* A nameless function between may begin after the symbol. */
	symbol = sizeless_symbol(names, address);
	if (symbol && symbol->address >= unwind)
		return strdup(symbol->name);
	if (unwind)
		*start = unwind;
	return NULL;
}

/* The unwind information has the function as a whole, the linker's name too. */
static bool function_bounds(struct elf_names *names, uint64_t address,
			    uint64_t *low, uint64_t *high)
{
	const struct range *range;

	*low = unwind_start(names, address, high);
	if (*low && *low <= address && address < *high)
		return true;
	range = ranges_find(&names->ranges, address);
	if (!range)
		return false;
	*low = range->low;
	*high = range->high;
	return true;
}

const unsigned char *elf_names_code(struct elf_names *names, uint64_t address,
				    uint64_t *low, uint64_t *high)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(names->file, &bias);
	GElf_Shdr header;
	Elf_Scn *section;
	Elf_Data *data;
	uint64_t offset;

	if (!elf || !is_of_this_processor(elf) ||
	    !function_bounds(names, address, low, high))
		return NULL;
	section = section_at(elf, *low - bias, &header);
	if (!section || !(header.sh_flags & SHF_EXECINSTR))
		return NULL;
	data = elf_rawdata(section, NULL);
	if (!data || !data->d_buf)
		return NULL;
	offset = *low - bias - header.sh_addr;
	return *high - *low <= data->d_size && offset <= data->d_size &&
			       *high - *low <= data->d_size - offset
		       ? (const unsigned char *)data->d_buf + offset
		       : NULL;
}
