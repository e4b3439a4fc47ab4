/* SPDX-License-Identifier: BSD-3-Clause */
/* cubins.c - see cubins.h. */
#include "cuda/cubins.h"

#include <elf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "collect/gpu/gpu-pcs.h"
#include "collect/gpu/gpu.h"
#include "collect/lock.h"

enum {
	CUBINS = 4096,
	KEPT_MOST = 64 << 20, /* bytes of all that wait for a sample */
	ALIGN = 8,
};

/* Mutable: by checksum, in no order. */
static struct {
	struct lock lock;
	struct cubin {
		uint64_t crc;
		void *bytes; /* NULL: it was told */
		size_t size;
	} at[CUBINS];
	size_t count, kept;
} cubins;

static bool is_elf(const char *file, size_t size)
{
	const Elf64_Ehdr *e = (const void *)file;

	return size >= sizeof(*e) && !memcmp(file, ELFMAG, SELFMAG) &&
	       e->e_ident[EI_CLASS] == ELFCLASS64 &&
	       e->e_shentsize == sizeof(Elf64_Shdr) && e->e_shoff <= size &&
	       e->e_shoff % ALIGN == 0 &&
	       e->e_shnum <= (size - e->e_shoff) / sizeof(Elf64_Shdr) &&
	       e->e_shstrndx < e->e_shnum;
}

static bool section_inside(const Elf64_Shdr *s, size_t size)
{
	return s->sh_type != SHT_NOBITS && s->sh_offset <= size &&
	       s->sh_size <= size - s->sh_offset;
}

static bool is_section_wanted(const char *file, const Elf64_Shdr *s,
			      const Elf64_Shdr *names)
{
	static const char *const wanted[] = {
		".symtab",     ".strtab",          ".shstrtab",
		".debug_line", ".rela.debug_line", ".rel.debug_line",
		".debug_str",  ".debug_line_str",
	};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		size_t length = strlen(wanted[i]) + 1;

		if (s->sh_name < names->sh_size &&
		    length <= names->sh_size - s->sh_name &&
		    !memcmp(file + names->sh_offset + s->sh_name, wanted[i],
			    length))
			return true;
	}
	return false;
}

static size_t aligned_section(size_t size)
{
	return (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

/* The table of sections of the smaller file, and how large that becomes. */
static size_t plan_sections(const char *file, size_t size, Elf64_Shdr *to)
{
	const Elf64_Ehdr *e = (const void *)file;
	const Elf64_Shdr *names = &to[e->e_shstrndx];
	size_t at = sizeof(*e) + e->e_shnum * sizeof(*to);

	memcpy(to, file + e->e_shoff, e->e_shnum * sizeof(*to));
	if (!section_inside(names, size))
		return 0;
	for (size_t i = 0; i < e->e_shnum; i++)
		if (i != e->e_shstrndx &&
		    (!section_inside(&to[i], size) ||
		     !is_section_wanted(file, &to[i], names)))
			to[i].sh_type = i ? SHT_NOBITS : SHT_NULL;
		else
			at = aligned_section(at) + to[i].sh_size;
	return at;
}

static void put_sections(char *to, const char *file, Elf64_Shdr *sections)
{
	Elf64_Ehdr e;
	size_t at;

	memcpy(&e, file, sizeof(e));
	e.e_phnum = 0;
	e.e_phoff = 0;
	e.e_shoff = sizeof(e);
	at = sizeof(e) + e.e_shnum * sizeof(*sections);
	for (size_t i = 0; i < e.e_shnum; i++) {
		Elf64_Shdr *s = &sections[i];

		if (s->sh_type == SHT_NOBITS || s->sh_type == SHT_NULL) {
			s->sh_offset = 0;
			continue;
		}
		at = aligned_section(at);
		memcpy(to + at, file + s->sh_offset, s->sh_size);
		s->sh_offset = at;
		at += s->sh_size;
	}
	memcpy(to, &e, sizeof(e));
	memcpy(to + sizeof(e), sections, e.e_shnum * sizeof(*sections));
}

/*
 * A smaller ELF file with the same sections, of which only those that are kept
 * have contents.  The caller frees it.  NULL: no ELF file, or out of memory.
 */
static void *cubin_reduced(const void *cubin, size_t size, size_t *to_size)
{
	const Elf64_Ehdr *e = cubin;
	Elf64_Shdr *sections;
	char *to = NULL;

	if (!is_elf(cubin, size))
		return NULL;
	sections = calloc(e->e_shnum, sizeof(*sections));
	*to_size = sections ? plan_sections(cubin, size, sections) : 0;
	if (*to_size)
		to = calloc(1, *to_size);
	if (to)
		put_sections(to, cubin, sections);
	free(sections);
	return to;
}

/* With the lock. */
static struct cubin *find_cubin(uint64_t crc)
{
	for (size_t i = 0; i < cubins.count; i++)
		if (cubins.at[i].crc == crc)
			return &cubins.at[i];
	return NULL;
}

static bool is_cubin_known(uint64_t crc)
{
	bool known;

	lock_take(&cubins.lock);
	known = find_cubin(crc);
	lock_give(&cubins.lock);
	return known;
}

/* False: there is one already, or no room. */
static bool keep_cubin(const struct cubin *cubin)
{
	bool known, room;

	lock_take(&cubins.lock);
	known = find_cubin(cubin->crc);
	room = cubins.count < CUBINS && cubin->size <= KEPT_MOST - cubins.kept;
	if (!known && room) {
		cubins.at[cubins.count++] = *cubin;
		cubins.kept += cubin->size;
	}
	lock_give(&cubins.lock);
	if (!known && !room)
		copse_gpu_lost(LOSS_GPU_CUBINS, 1);
	return !known && room;
}

void cubins_loaded(const CUpti_ModuleResourceData *module)
{
	CUpti_GetCubinCrcParams params = { .size = CUpti_GetCubinCrcParamsSize,
					   .cubinSize = module->cubinSize,
					   .cubin = module->pCubin };
	struct cubin cubin = { 0 };

	if (!module->pCubin || !module->cubinSize ||
	    cupti.GetCubinCrc(&params) || is_cubin_known(params.cubinCrc))
		return;
	cubin.crc = params.cubinCrc;
	cubin.bytes =
		cubin_reduced(module->pCubin, module->cubinSize, &cubin.size);
	if (!cubin.bytes)
		copse_gpu_lost(LOSS_GPU_CUBINS, 1);
	else if (!keep_cubin(&cubin))
		free(cubin.bytes);
}

void cubins_sampled(uint64_t crc)
{
	struct cubin told = { 0 };
	struct cubin *cubin;

	lock_take(&cubins.lock);
	cubin = find_cubin(crc);
	if (cubin && cubin->bytes) {
		told = *cubin;
		cubin->bytes = NULL;
		cubins.kept -= cubin->size;
	}
	lock_give(&cubins.lock);
	if (told.bytes)
		copse_gpu_cubin(crc, told.bytes, told.size);
	free(told.bytes);
}
