/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * symbol.c - opens each module once, asks DWARF, then the symbol table, then
 * the unwind information about each address; several modules at a time.
 *
 * A file is taken only when its build id is the one that ran.  When it is
 * not, the separate debug file of that build id may still be there.
 */
#include <elf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libiberty/demangle.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "merge/symbol-file.h"

#define MOST_THREADS 8

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

struct file { /* all zero: none */
	Dwfl *dwfl;
	Dwfl_Module *module;
	struct elf_names *elf;
	struct dwarf_names *dwarf;
};

static void file_close(struct file *file)
{
	dwarf_names_free(file->dwarf);
	elf_names_free(file->elf);
	if (file->dwfl)
		dwfl_end(file->dwfl);
	*file = (struct file){ 0 };
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
static int file_open(struct file *file, const char *path, int fd,
		     const char *wanted)
{
	GElf_Addr bias;
	char found[80];
	int err;

	file->dwfl = dwfl_begin(&callbacks);
	if (file->dwfl) {
		dwfl_report_begin(file->dwfl);
		file->module = dwfl_report_elf(file->dwfl, str_base(path), path,
					       fd, 0, true);
	}
	if (!file->module) {
		close(fd);
		file_close(file);
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
		file_close(file);
		return err;
	}
	file->elf = elf_names_new(file->module);
	file->dwarf = dwarf_names_new(file->module);
	return 0;
}

/* A regular file, never a device or a pipe that would wait. */
static int open_regular(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;

	if (fd < 0)
		return fail(-errno, "cannot be opened (%s)", strerror(errno));
	if (fstat(fd, &status) || !S_ISREG(status.st_mode)) {
		close(fd);
		return fail(-EINVAL, "is no regular file");
	}
	return fd;
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

static int open_original(struct file *file, const struct symbol_module *module)
{
	int fd = is_vdso(module->path) ? open_vdso()
				       : open_regular(module->path);

	return fd < 0 ? fd
		      : file_open(file, module->path, fd, module->build_id);
}

static int open_debug(struct file *file, const struct symbol_module *module)
{
	const char *id = module->build_id;
	char path[160];
	int fd;

	if (strlen(id) < 3)
		return -ENOENT;
	snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s.debug",
		 id, id + 2);
	fd = open_regular(path);
	return fd < 0 ? fd : file_open(file, path, fd, id);
}

/* Cuts what the linker's versions add: "memcpy@@GLIBC_2.14". */
static char *without_version(const char *name, const char **suffix)
{
	const char *at = *name == '@' ? NULL : strchr(name, '@');

	*suffix = at && !strcmp(at, "@plt") ? "@plt" : "";
	return at ? strndup(name, (size_t)(at - name)) : strdup(name);
}

/* glibc's own alias for calls inside it. */
static const char *without_alias(const char *name)
{
	return strncmp(name, "__GI_", 5) != 0 || !name[5] ? name : name + 5;
}

/* "__mesh_MOD_smooth" becomes "mesh::smooth"; NULL: not of that form. */
static char *fortran_name(const char *name)
{
	const char *middle =
		strncmp(name, "__", 2) ? NULL : strstr(name, "_MOD_");

	if (!middle || middle <= name + 2)
		return NULL;
	return str_format("%.*s::%s", (int)(middle - name - 2), name + 2,
			  middle + 5);
}

char *symbol_readable(const char *name)
{
	const char *suffix;
	char *plain = without_version(without_alias(name), &suffix);
	char *readable, *whole;

	if (!plain)
		return NULL;
	readable = cplus_demangle(plain, DMGL_ANSI | DMGL_AUTO);
	if (!readable)
		readable = fortran_name(plain);
	if (!readable && !*suffix)
		return plain;
	whole = str_format("%s%s", readable ? readable : plain, suffix);
	free(readable);
	free(plain);
	return whole;
}

static int push_frame(struct symbol_module *module,
		      const struct symbol_frame *frame)
{
	if (module->frame_count == module->frame_room) {
		size_t room = module->frame_room ? 2 * module->frame_room : 64;
		struct symbol_frame *frames =
			realloc(module->frames, room * sizeof(*frames));

		if (!frames)
			return fail(-ENOMEM, "out of memory");
		module->frames = frames;
		module->frame_room = room;
	}
	module->frames[module->frame_count++] = *frame;
	return 0;
}

/* Takes over name, which may be NULL when out of memory. */
static int add_frame(struct symbol_module *module, char *name, const char *file,
		     struct symbol_frame frame)
{
	int err = -ENOMEM;

	if (name)
		frame.function = str_add(&module->strings, name);
	frame.file = str_add(&module->strings, file);
	if (name && frame.function != STR_NONE && frame.file != STR_NONE)
		err = push_frame(module, &frame);
	free(name);
	return err ? fail(err, "out of memory") : 0;
}

/* The outermost function's name, when DWARF has not the linker's. */
static char *outer_name(struct symbol_module *module, struct file *file,
			uint64_t address, const char *dwarf_name,
			uint32_t *flags)
{
	uint64_t start = address;
	char *symbol = NULL, *name;

	if (file->elf)
		symbol = elf_names_find(file->elf, address, &start);
	if (*dwarf_name && (!symbol || strncmp(symbol, "_Z", 2) != 0)) {
		free(symbol);
		return strdup(dwarf_name);
	}
	if (symbol) {
		name = symbol_readable(symbol);
		free(symbol);
		return name;
	}
	*flags |= SYMBOL_UNNAMED;
	return str_format("%s+0x%" PRIx64, str_base(module->path), start);
}

static int name_address(struct symbol_module *module, struct file *file,
			uint64_t address)
{
	struct dwarf_place places[DWARF_PLACES] = { { .name = "",
						      .file = "" } };
	size_t count = 0;
	int err = 0;

	if (file->dwarf)
		count = dwarf_names_find(file->dwarf, address, places);
	if (!count)
		count = 1;
	for (size_t i = 0; i < count && !err; i++) {
		const struct dwarf_place *p = &places[i];
		struct symbol_frame frame = { .line = p->line };
		char *name;

		if (p->inlined)
			frame.flags |= SYMBOL_INLINED;
		if (p->linkage || (p->inlined && *p->name))
			name = symbol_readable(p->name);
		else
			name = outer_name(module, file, address, p->name,
					  &frame.flags);
		err = add_frame(module, name, p->file, frame);
	}
	return err;
}

static int open_module(struct symbol_module *module, struct file *file)
{
	int err = open_original(file, module);

	if (!err || is_vdso(module->path)) /* another kernel's: no loss */
		return 0;
	module->problem = str_format("%s; its functions are shown as offsets",
				     fail_reason());
	if (!module->problem)
		return fail(-ENOMEM, "out of memory");
	if (!open_debug(file, module)) {
		free(module->problem);
		module->problem = NULL;
	}
	return 0;
}

static int name_module(struct symbol_module *module)
{
	struct file file = { 0 };
	int err;

	module->first = calloc(module->count + 1, sizeof(*module->first));
	if (!module->first)
		return fail(-ENOMEM, "out of memory");
	if (!module->count)
		return 0;
	err = open_module(module, &file);
	for (size_t i = 0; i < module->count && !err; i++) {
		err = name_address(module, &file, module->addresses[i]);
		module->first[i + 1] = (uint32_t)module->frame_count;
	}
	file_close(&file);
	return err;
}

struct work {
	struct symbol_module *modules;
	size_t count;
	_Atomic size_t next, done;
	_Atomic int err;
};

static void work_on(struct work *work, const struct symbol_progress *progress)
{
	for (;;) {
		size_t i = atomic_fetch_add(&work->next, 1);
		int err;

		if (i >= work->count || atomic_load(&work->err))
			return;
		err = name_module(&work->modules[i]);
		if (err)
			atomic_store(&work->err, err);
		atomic_fetch_add(&work->done, 1);
		if (progress)
			progress->step(progress->to, atomic_load(&work->done),
				       work->count);
	}
}

static void *helper(void *work)
{
	work_on(work, NULL);
	return NULL;
}

int symbols_find(struct symbol_module *modules, size_t count,
		 const struct symbol_progress *progress)
{
	struct work work = { .modules = modules, .count = count };
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t threads[MOST_THREADS];
	int started = 0;

	while (started < MOST_THREADS && started + 1 < cores &&
	       (size_t)started + 1 < count &&
	       !pthread_create(&threads[started], NULL, helper, &work))
		started++;
	work_on(&work, progress);
	while (started)
		pthread_join(threads[--started], NULL);
	return work.err ? fail(work.err, "out of memory while finding names")
			: 0;
}

void symbol_module_fini(struct symbol_module *module)
{
	free(module->first);
	free(module->frames);
	strings_fini(&module->strings);
	free(module->problem);
	*module = (struct symbol_module){ 0 };
}
