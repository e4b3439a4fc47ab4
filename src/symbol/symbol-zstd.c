/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * symbol-zstd.c - sections compressed by zstd, which libelf knows only from
 * 0.189 on, expanded in a copy in memory.
 *
 * The copy is the file with the expanded sections behind it and their headers
 * changed.  What does not add up is left as it is.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "symbol/symbol-file.h"

#define COMPRESSED_BY_ZSTD 2 /* ELFCOMPRESS_ZSTD of newer headers */

/* Foreign input: all sections of a file together, expanded. */
#define MOST_BYTES (16ull << 30)

struct elf_image {
	const unsigned char *at;
	uint64_t size;
	const Elf64_Shdr *sections;
	size_t count;
};

static bool image_check(struct elf_image *image)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)image->at;

	if (image->size < sizeof(*header) ||
	    memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 ||
	    header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff % 8 ||
	    header->e_shoff > image->size ||
	    header->e_shnum >
		    (image->size - header->e_shoff) / sizeof(Elf64_Shdr))
		return false;
	image->sections = (const Elf64_Shdr *)(image->at + header->e_shoff);
	image->count = header->e_shnum;
	return true;
}

/* The section's own header when it is compressed by zstd, else false. */
static bool is_zstd(const struct elf_image *image, const Elf64_Shdr *s,
		    Elf64_Chdr *to)
{
	if (!(s->sh_flags & SHF_COMPRESSED) || s->sh_type == SHT_NOBITS ||
	    s->sh_size < sizeof(*to) || s->sh_offset > image->size ||
	    s->sh_size > image->size - s->sh_offset)
		return false;
	memcpy(to, image->at + s->sh_offset, sizeof(*to));
	return to->ch_type == COMPRESSED_BY_ZSTD;
}

/* The bytes that expanded sections need; 0: there are none. */
static uint64_t expanded_size(const struct elf_image *image)
{
	uint64_t sum = 0;
	Elf64_Chdr c;

	for (size_t i = 0; i < image->count; i++) {
		if (!is_zstd(image, &image->sections[i], &c))
			continue;
		if (c.ch_size > MOST_BYTES - sum)
			return 0;
		sum += (c.ch_size + 15) & ~15ull;
	}
	return sum;
}

static void expand_sections(const struct elf_image *from, unsigned char *to,
			    uint64_t end)
{
	Elf64_Shdr *headers =
		(Elf64_Shdr *)(to + ((const Elf64_Ehdr *)from->at)->e_shoff);
	Elf64_Chdr c;

	for (size_t i = 0; i < from->count; i++) {
		const Elf64_Shdr *s = &from->sections[i];

		if (!is_zstd(from, s, &c) ||
		    ZSTD_decompress(to + end, c.ch_size,
				    from->at + s->sh_offset + sizeof(c),
				    s->sh_size - sizeof(c)) != c.ch_size)
			continue;
		headers[i].sh_flags &= ~(Elf64_Xword)SHF_COMPRESSED;
		headers[i].sh_offset = end;
		headers[i].sh_size = c.ch_size;
		headers[i].sh_addralign = c.ch_addralign;
		end += (c.ch_size + 15) & ~15ull;
	}
}

/* A file in memory with the sections expanded, or -1. */
static int expanded_copy(const struct elf_image *image, uint64_t more)
{
	uint64_t end = (image->size + 15) & ~15ull;
	int fd = memfd_create("expanded", MFD_CLOEXEC);
	unsigned char *to;

	if (fd < 0)
		return -1;
	if (ftruncate(fd, (off_t)(end + more))) {
		close(fd);
		return -1;
	}
	to = mmap(NULL, end + more, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (to == MAP_FAILED) {
		close(fd);
		return -1;
	}
	memcpy(to, image->at, image->size);
	expand_sections(image, to, end);
	munmap(to, end + more);
	return fd;
}

int zstd_expand(int fd)
{
	struct elf_image image = { 0 };
	struct stat status;
	uint64_t more;
	void *at;
	int copy = -1;

	if (fstat(fd, &status) || status.st_size <= 0)
		return fd;
	image.size = (uint64_t)status.st_size;
	at = mmap(NULL, image.size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (at == MAP_FAILED)
		return fd;
	image.at = at;
	more = image_check(&image) ? expanded_size(&image) : 0;
	if (more)
		copy = expanded_copy(&image, more);
	munmap(at, image.size);
	if (copy < 0)
		return fd;
	close(fd);
	return copy;
}
