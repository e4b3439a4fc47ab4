/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * golang.c - looks for the section .go.buildinfo, which each Go linker since
 * 1.13 puts into a program and strip leaves there.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>

#include "base/golang.h"
#include "base/sys.h"

enum {
	MOST_SECTIONS = 128,
	MOST_NAMES = 4096
};

static bool read_go_at(long fd, void *to, uint64_t size, uint64_t at)
{
	return sys4(SYS_pread64, fd, to, size, at) == (long)size;
}

/* The sections' names, closed with a zero; false: none to be had. */
static bool read_names(long fd, const Elf64_Shdr *names, char *to)
{
	uint64_t size = names->sh_size;

	if (size > MOST_NAMES - 1)
		size = MOST_NAMES - 1;
	memset(to, 0, MOST_NAMES);
	return read_go_at(fd, to, size, names->sh_offset);
}

static bool has_section(long fd, const char *wanted)
{
	Elf64_Shdr sections[MOST_SECTIONS];
	char names[MOST_NAMES];
	Elf64_Ehdr head;

	if (!read_go_at(fd, &head, sizeof(head), 0) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    head.e_shentsize != sizeof(*sections) ||
	    head.e_shnum > MOST_SECTIONS || head.e_shstrndx >= head.e_shnum ||
	    !read_go_at(fd, sections, head.e_shnum * sizeof(*sections),
			head.e_shoff) ||
	    !read_names(fd, &sections[head.e_shstrndx], names))
		return false;
	for (unsigned int i = 0; i < head.e_shnum; i++)
		if (sections[i].sh_name < MOST_NAMES &&
		    !strcmp(names + sections[i].sh_name, wanted))
			return true;
	return false;
}

bool golang_wrote(const char *path)
{
	long fd = sys4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	bool is;

	if (fd < 0)
		return false;
	is = has_section(fd, ".go.buildinfo");
	sys1(SYS_close, fd);
	return is;
}
