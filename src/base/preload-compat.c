/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * preload-compat.c - reads the head of a program, see preload-compat.h.
 *
 * The loader ends a program if a preloaded library needs a version of glibc's
 * symbols that is missing.  The versions that exist stand in the dynamic string
 * table of libc.so.6 beside the loader; those that are needed, in our
 * library's.
 */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arch/elf-names.h"
#include "base/preload-compat.h"
#include "base/sys.h"

void compat_name_open(char to[COMPAT_LINK], int fd)
{
	static const char folder[] = "/proc/self/fd/";
	char digits[12], *at = digits + sizeof(digits);
	unsigned left = (unsigned)fd;

	*--at = 0;
	do
		*--at = (char)('0' + left % 10);
	while (left /= 10);
	memcpy(to, folder, sizeof(folder) - 1);
	memcpy(to + sizeof(folder) - 1, at,
	       (size_t)(digits + sizeof(digits) - at));
}

enum {
	START = 256, /* of a file, as much as the kernel looks at */
	PATH = 512,
	CHUNK = 512,
	MOST_SCRIPTS = 5, /* that run each other, in Linux */
	MOST_HEADERS = 256
};

static bool read_elf_at(long fd, void *to, uint64_t size, uint64_t at)
{
	return sys4(SYS_pread64, fd, to, size, at) == (long)size;
}

static long open_elf_file(long dir, const char *path, int flags)
{
	return sys4(SYS_openat, dir, path,
		    O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags, 0);
}

static __attribute__((noinline)) bool is_regular(long dir, const char *path)
{
	struct stat st;

	return sys4(SYS_newfstatat, dir, path, &st, 0) >= 0 &&
	       S_ISREG(st.st_mode);
}

/* Anything else may wait for somebody when it is opened, or do something. */
static long open_regular_elf(long dir, const char *path)
{
	return is_regular(dir, path) ? open_elf_file(dir, path, 0) : -1;
}

bool compat_is_program(const char *path)
{
	return is_regular(AT_FDCWD, path) &&
	       sys3(SYS_faccessat, AT_FDCWD, path, X_OK) >= 0;
}

/* The highest N of the names GLIBC_2.N in a part of a file, or 0. */
static unsigned highest_version_in(long fd, uint64_t at, uint64_t size)
{
	static const char name[] = "GLIBC_2.";
	char chunk[CHUNK + 1];
	unsigned highest = 0;

	for (uint64_t end = at + size; at + sizeof(name) < end;
	     at += CHUNK - 16) {
		uint64_t n = end - at < CHUNK ? end - at : CHUNK;
		const char *p = chunk;

		if (!read_elf_at(fd, chunk, n, at))
			return 0;
		while ((p = memmem(p, (size_t)(chunk + n - p), name,
				   sizeof(name) - 1))) {
			unsigned minor = 0;

			chunk[n] = 0;
			for (p += sizeof(name) - 1; *p >= '0' && *p <= '9'; p++)
				minor = minor * 10 + (unsigned)(*p - '0');
			if (minor > highest)
				highest = minor;
		}
	}
	return highest;
}

/* Of the names of a library's dynamic symbols, and their versions. */
static unsigned glibc_that_library_needs(const char *library)
{
	long fd = open_regular_elf(AT_FDCWD, library);
	unsigned highest = 0;
	Elf64_Ehdr head;

	if (fd < 0)
		return 0;
	if (!read_elf_at(fd, &head, sizeof(head), 0) ||
	    head.e_shnum > MOST_HEADERS)
		head.e_shnum = 0;
	for (unsigned i = 0; i < head.e_shnum; i++) {
		unsigned found = 0;
		Elf64_Shdr s;

		if (!read_elf_at(fd, &s, sizeof(s),
				 head.e_shoff + i * sizeof(s)))
			break;
		/* The table of strings that is loaded. */
		if (s.sh_type == SHT_STRTAB && s.sh_flags & SHF_ALLOC)
			found = highest_version_in(fd, s.sh_offset, s.sh_size);
		if (found > highest)
			highest = found;
	}
	sys1(SYS_close, fd);
	return highest;
}

/* The C library in the folder of a loader, of which `path` may be a link. */
static bool libc_beside(const char *path, char *to)
{
	static const char name[] = "/libc.so.6";
	long fd = open_elf_file(AT_FDCWD, path, O_PATH), n;
	char link[COMPAT_LINK], *slash;

	if (fd < 0)
		return false;
	compat_name_open(link, (int)fd);
	n = sys4(SYS_readlinkat, AT_FDCWD, link, to, PATH - sizeof(name));
	sys1(SYS_close, fd);
	if (n <= 0 || n >= (long)(PATH - sizeof(name)))
		return false;
	to[n] = 0;
	slash = strrchr(to, '/');
	if (slash)
		memcpy(slash, name, sizeof(name));
	return slash;
}

/* What is rarely asked takes its stack elsewhere. */
static __attribute__((noinline)) bool has_older_glibc(struct compat_ours *ours,
						      const char *loader)
{
	char library[PATH];
	unsigned theirs;

	if (!ours->glibc)
		ours->glibc = glibc_that_library_needs(ours->library);
	if (!ours->glibc || !libc_beside(loader, library))
		return false;
	theirs = glibc_that_library_needs(library);
	return theirs && theirs < ours->glibc;
}

/* Glibc's names, wherever it is; others have others, as ld-musl-x86_64.so.1. */
static bool is_glibc(const char *loader)
{
	static const char *const names[] = { ELF_LOADERS };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(loader, names[i], strlen(names[i])))
			return true;
	return false;
}

static __attribute__((noinline)) bool
is_our_loader(const struct compat_ours *ours, const char *loader)
{
	struct stat st;

	return sys4(SYS_newfstatat, AT_FDCWD, loader, &st, 0) < 0 ||
	       (st.st_ino == ours->inode && st.st_dev == ours->device);
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static enum compat fit_of_loader(struct compat_ours *ours, const char *loader)
{
	if (!is_glibc(base_of(loader)))
		return COMPAT_LIBRARY;
	if (is_our_loader(ours, loader) || !has_older_glibc(ours, loader))
		return COMPAT_YES;
	return COMPAT_OLDER;
}

/* The loader that a program names comes into `start`, which is read. */
static enum compat fit_of_elf(struct compat_ours *ours, long fd, char *start)
{
	Elf64_Ehdr head;

	memcpy(&head, start, sizeof(head));
	/* The fields that are compared are in the same place in all. */
	if (head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    head.e_machine != ELF_MACHINE)
		return COMPAT_MACHINE;
	for (unsigned i = 0; i < head.e_phnum && i < MOST_HEADERS; i++) {
		Elf64_Phdr ph;

		if (!read_elf_at(fd, &ph, sizeof(ph),
				 head.e_phoff + i * sizeof(ph)))
			return COMPAT_YES;
		if (ph.p_type != PT_INTERP)
			continue;
		if (ph.p_filesz > START ||
		    !read_elf_at(fd, start, ph.p_filesz, ph.p_offset))
			return COMPAT_YES;
		start[ph.p_filesz] = 0;
		return fit_of_loader(ours, start);
	}
	return COMPAT_STATIC;
}

/* The program that a file's first line names. */
static const char *interpreter_in_line(char *start)
{
	char *name = start + 2 + strspn(start + 2, " \t");

	name[strcspn(name, " \t\n")] = 0;
	return *name ? name : NULL;
}

/*
 * By the start of a file.  *next: who runs it, in `start`, if it is a script
 * and that is to be asked.
 */
static enum compat fit_of_file(struct compat_ours *ours, long fd,
			       char start[START + 1], const char **next)
{
	long n = sys4(SYS_pread64, fd, start, START, 0);

	*next = NULL;
	if (n < (long)sizeof("#!"))
		return COMPAT_YES;
	start[n] = 0;
	if (start[0] == '#' && start[1] == '!') {
		*next = interpreter_in_line(start);
		return COMPAT_YES;
	}
	if (n < (long)sizeof(Elf64_Ehdr) || memcmp(start, ELFMAG, SELFMAG) != 0)
		return COMPAT_YES;
	return fit_of_elf(ours, fd, start);
}

/* A loader that is executed is given a program to load. */
static bool is_loader(const char *path)
{
	const char *name = base_of(path);

	return is_glibc(name) || !strncmp(name, "ld-musl-", 8);
}

enum compat compat_of_file(struct compat_ours *ours, int dir, const char *path)
{
	char start[START + 1];
	enum compat fit = COMPAT_YES;

	for (int i = 0; i <= MOST_SCRIPTS && path; i++) {
		long fd = open_regular_elf(dir, path);

		if (fd < 0)
			return COMPAT_YES;
		if (!i && is_loader(path)) {
			sys1(SYS_close, fd);
			fit = fit_of_loader(ours, path);
			return fit == COMPAT_YES ? COMPAT_STATIC : fit;
		}
		fit = fit_of_file(ours, fd, start, &path);
		sys1(SYS_close, fd);
		/* A script's static shell starts what may be measured. */
		if (i && fit == COMPAT_STATIC)
			fit = COMPAT_YES;
		dir = AT_FDCWD;
	}
	return fit;
}

void compat_init(struct compat_ours *ours, const char *library)
{
	const void *loader = (const void *)getauxval(AT_BASE);
	struct stat st;
	Dl_info info;

	*ours = (struct compat_ours){ .library = library };
	if (!loader || !dladdr(loader, &info) || stat(info.dli_fname, &st))
		return;
	ours->device = st.st_dev;
	ours->inode = st.st_ino;
}
