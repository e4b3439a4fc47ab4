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

/* Too large for the stacks of some that ask; comes as zeros. */
struct go_sections {
	Elf64_Shdr all[MOST_SECTIONS];
	char names[MOST_NAMES];
};

/* The sections' names, closed with a zero; false: none to be had. */
static bool read_names(long fd, const Elf64_Shdr *names, char *to)
{
	uint64_t size = names->sh_size;

	if (size > MOST_NAMES - 1)
		size = MOST_NAMES - 1;
	return read_go_at(fd, to, size, names->sh_offset);
}

static bool has_section(long fd, struct go_sections *s, const char *wanted)
{
	Elf64_Ehdr head;

	if (!read_go_at(fd, &head, sizeof(head), 0) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    head.e_shentsize != sizeof(*s->all) ||
	    head.e_shnum > MOST_SECTIONS || head.e_shstrndx >= head.e_shnum ||
	    !read_go_at(fd, s->all, head.e_shnum * sizeof(*s->all),
			head.e_shoff) ||
	    !read_names(fd, &s->all[head.e_shstrndx], s->names))
		return false;
	for (unsigned int i = 0; i < head.e_shnum; i++)
		if (s->all[i].sh_name < MOST_NAMES &&
		    !strcmp(s->names + s->all[i].sh_name, wanted))
			return true;
	return false;
}

bool golang_wrote(const char *path)
{
	long fd = sys4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	struct go_sections *s;
	bool is;

	if (fd < 0)
		return false;
	s = sys_memory(sizeof(*s));
	is = s && has_section(fd, s, ".go.buildinfo");
	if (s)
		sys2(SYS_munmap, s, sizeof(*s));
	sys1(SYS_close, fd);
	return is;
}
