/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/golang.h"

#include "tests/lib/test.h"

#include <elf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An ELF file of two sections, the second of which has that name. */
struct file {
	Elf64_Ehdr head;
	Elf64_Shdr sections[2];
	char names[64];
};

static struct file make(const char *name)
{
	struct file f = { .head = { .e_ident = ELFMAG,
				    .e_shoff = offsetof(struct file, sections),
				    .e_shentsize = sizeof(f.sections[0]),
				    .e_shnum = 2 } };

	f.head.e_ident[EI_CLASS] = ELFCLASS64;
	f.sections[0].sh_offset = offsetof(struct file, names);
	f.sections[0].sh_size = sizeof(f.names);
	f.sections[1].sh_name = 1;
	strncpy(f.names + 1, name, sizeof(f.names) - 2);
	return f;
}

static bool is_go(const struct file *f, size_t size)
{
	char path[] = "/tmp/golang-XXXXXX";
	int fd = mkstemp(path);
	bool is;

	CHECK(fd, >=, 0);
	CHECK(write(fd, f, size), ==, (ssize_t)size);
	is = golang_wrote(path);
	close(fd);
	unlink(path);
	return is;
}

TEST(golang_is_told_by_its_section)
{
	struct file f = make(".go.buildinfo");

	CHECK(is_go(&f, sizeof(f)));
	f = make(".go.buildinfos");
	CHECK(!is_go(&f, sizeof(f)));
	CHECK(!golang_wrote("/proc/self/exe"));
	CHECK(!golang_wrote("/no/such/program"));
}

/* Files are foreign input. */
TEST(golang_survives_broken_files)
{
	struct file f = make(".go.buildinfo");

	for (size_t size = 0; size < sizeof(f); size++)
		CHECK(!is_go(&f, size));
	f.sections[1].sh_name = 0xffffffff;
	CHECK(!is_go(&f, sizeof(f)));
	f.sections[0].sh_offset = UINT64_MAX;
	CHECK(!is_go(&f, sizeof(f)));
	f.head.e_shstrndx = 7;
	CHECK(!is_go(&f, sizeof(f)));
	f.head.e_shnum = 0xffff;
	f.head.e_shoff = UINT64_MAX - 8;
	CHECK(!is_go(&f, sizeof(f)));
}
