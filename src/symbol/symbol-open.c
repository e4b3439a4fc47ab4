/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * symbol-open.c - a module's file, with the debug information that belongs to
 * it, wherever that is.
 *
 * A file is taken only when its build id is the one that ran.  When it is
 * not, the separate debug file of that build id may still be there.  Beside a
 * file, its debug information is looked for by libdwfl: by build id and by
 * .gnu_debuglink (whose checksum has to agree), then from debuginfod.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "base/regular.h"
#include "symbol/symbol-file.h"

/* Where libdwfl looks in folders that may be anybody's. */
static bool may_look(const char *file, const char *link)
{
	static const char *const folders[] = { "", ".debug/", ".dwz/" };
	char *invented = str_format("%s.debug", str_base(file));
	bool may = invented;

	for (size_t i = 0; i < 3 && may; i++)
		may = regular_or_none(file, folders[i],
				      link ? link : invented) &&
		      regular_or_none(file, folders[i], str_base(file));
	free(invented);
	return may;
}

/* The same where a link leads. */
static bool may_look_beside(const char *file, const char *link)
{
	char *real = file && *file == '/' ? realpath(file, NULL) : NULL;
	bool may = real && may_look(file, link) && may_look(real, link);

	free(real);
	return may;
}

/*
 * What libdwfl finds, readable.  Beside a file only if it has a path: the
 * working directory has no debug information of the kernel's library.
 */
static int find_debug(Dwfl_Module *module, void **user, const char *name,
		      Dwarf_Addr base, const char *file, const char *link,
		      GElf_Word crc, char **found)
{
	const char *of = file, *debug = NULL;
	int fd;

	if (!of)
		dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, &of,
				 &debug);
	if (may_look_beside(of, link) &&
	    (!debug || may_look_beside(debug, link)))
		fd = dwfl_standard_find_debuginfo(module, user, name, base,
						  file, link, crc, found);
	else
		fd = dwfl_build_id_find_debuginfo(module, user, name, base,
						  file, link, crc, found);
	return fd < 0 ? fd : zstd_expand(fd);
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = find_debug,
	.section_address = dwfl_offline_section_address,
};

void symbol_file_close(struct symbol_file *file)
{
	dwarf_names_free(file->dwarf);
	elf_names_free(file->elf);
	if (file->dwfl)
		dwfl_end(file->dwfl);
	*file = (struct symbol_file){ 0 };
}

/* In hexadecimal; "" when the file has none. */
static void build_id_of(Dwfl_Module *module, char to[80])
{
	const unsigned char *bits;
	GElf_Addr address;
	int size = dwfl_module_build_id(module, &bits, &address);

	*to = '\0';
	for (int i = 0; i < size && i < 39; i++)
		sprintf(to + (ptrdiff_t)2 * i, "%02x", bits[i]);
}

/*
 * The file behind fd, which is taken over, as a module at its own addresses.
 * 0; -ENOEXEC when it is no such file, -ESTALE when its build id is not
 * `wanted` (unless that is ""), each with a reason.
 */
static int file_open(struct symbol_file *file, const char *path, int fd,
		     const char *wanted)
{
	GElf_Addr bias;
	char found[80];
	int err;

	fd = zstd_expand(fd);
	file->dwfl = dwfl_begin(&callbacks);
	if (file->dwfl) {
		remote_watch(file->dwfl);
		dwfl_report_begin(file->dwfl);
		file->module = dwfl_report_elf(file->dwfl, str_base(path), path,
					       fd, 0, true);
	}
	if (!file->module) {
		close(fd);
		symbol_file_close(file);
		return fail(-ENOEXEC, "is no ELF file");
	}
	dwfl_report_end(file->dwfl, NULL, NULL);
	dwfl_module_getelf(file->module, &bias);
	build_id_of(file->module, found);
	if (*wanted && strcmp(found, wanted) != 0) {
		err = fail(-ESTALE,
			   "has changed since the run (build id %.12s, was "
			   "%.12s)",
			   *found ? found : "none", wanted);
		symbol_file_close(file);
		return err;
	}
	file->elf = elf_names_new(file->module);
	file->dwarf = dwarf_names_new(file->module);
	return 0;
}

/* The name is foreign: to open some devices is to start something. */
static int open_regular_object(const char *path)
{
	int fd = regular_open(AT_FDCWD, path, O_RDONLY);

	if (fd == -EINVAL || fd == -EISDIR)
		return fail(fd, "is no regular file");
	return fd < 0 ? fail(fd, "cannot be opened (%s)", strerror(-fd)) : fd;
}

static bool is_vdso(const char *path)
{
	return !strcmp(path, "[vdso]") || !strcmp(path, "linux-vdso.so.1");
}

/* The kernel's own library, as it stands in this process, as a file. */
static int open_vdso(void)
{
	const Elf64_Ehdr *vdso =
		(const Elf64_Ehdr *)getauxval(AT_SYSINFO_EHDR); /* NOLINT */
	size_t size;
	int fd;

	if (!vdso)
		return fail(-ENOENT, "is not known to this process");
	size = vdso->e_shoff + (size_t)vdso->e_shnum * vdso->e_shentsize;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return fail(-errno, "cannot be copied (%s)", strerror(errno));
	if (write(fd, vdso, size) != (ssize_t)size) {
		close(fd);
		return fail(-EIO, "cannot be copied");
	}
	return fd;
}

static int open_original(struct symbol_file *file,
			 const struct symbol_module *module)
{
	int fd = is_vdso(module->path) ? open_vdso()
				       : open_regular_object(module->path);

	return fd < 0 ? fd
		      : file_open(file, module->path, fd, module->build_id);
}

/* The program's file, which was removed or replaced since it was started. */
static int open_program(struct symbol_file *file,
			const struct symbol_module *module)
{
	int fd = *module->build_id ? dup(symbol_options.program) : -1;

	return fd < 0 ? -ENOENT
		      : file_open(file, module->path, fd, module->build_id);
}

static int open_debug(struct symbol_file *file,
		      const struct symbol_module *module)
{
	const char *id = module->build_id;
	char path[160];
	int fd;

	if (strlen(id) < 3)
		return -ENOENT;
	snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s.debug",
		 id, id + 2);
	fd = open_regular_object(path);
	if (fd < 0)
		fd = remote_open(id);
	return fd < 0 ? fd : file_open(file, path, fd, id);
}

int symbol_file_open(struct symbol_file *file, const struct symbol_module *m,
		     char **problem)
{
	int err = open_original(file, m);

	if (!err || is_vdso(m->path)) /* another kernel's: no loss */
		return 0;
	*problem = str_format("%s; its functions are shown as offsets",
			      fail_reason());
	if (!*problem)
		return no_memory();
	if (!open_program(file, m) || !open_debug(file, m)) {
		free(*problem);
		*problem = NULL;
	}
	return 0;
}
