/* SPDX-License-Identifier: BSD-3-Clause */
/* runtime.c - see runtime.h. */
#include "openmp/runtime.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "arch/elf-names.h"
#include "collect/loaded.h"
#include "collect/threads/omp-team.h"
#include "collect/transparency/dlsym.h"
#include "collect/unwind/loaded-object.h"
#include "openmp/own-locks.h"

enum {
	MODULES = 64, /* whose runtime is remembered */
};

static const char *const names[] = {
#define REGION(name, ...) #name,
#define REDUCTION         REGION
#define TASK              REGION
#define WAIT              REGION
#define WAIT_GIVES        REGION
#define LOCK              REGION
#define CRITICAL          REGION
#define UNLOCK            REGION
#define ASK               REGION
#include "openmp/functions.def"
};

/* Mutable: set once, as the adapter is loaded. */
void *runtime_nexts[ROW_COUNT];

/* "libgomp.so.1", or "libgomp-a34b3233.so.1.0.0" of a Python package. */
static bool is_libgomp(const char *file)
{
	return !strncmp(file, "libgomp", 7) && strstr(file, ".so");
}

static const char *path_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/*
 * LLVM's runtime has functions of these names, too.  Calls go on to it
 * unchanged.
 */
static bool is_of_libgomp(const void *found)
{
	Dl_info info;

	return found && dladdr(found, &info) &&
	       is_libgomp(path_file_name(info.dli_fname));
}

/* Only LLVM's runtime has such functions. */
static bool is_of_llvm(const char *name)
{
	return !strncmp(name, "__kmpc_", strlen("__kmpc_"));
}

static bool is_runtime(const char *file)
{
	return is_libgomp(file) || !strncmp(file, "libomp", 6) ||
	       !strncmp(file, "libiomp5", 8);
}

/* Runtimes have a function of this name as well, for the next tool. */
void *runtime_other_tool(void)
{
	void *found = dlsym(RTLD_NEXT, "ompt_start_tool");
	Dl_info info;

	dlerror();
	return found && dladdr(found, &info) &&
			       !is_runtime(path_file_name(info.dli_fname))
		       ? found
		       : NULL;
}

/* Locks of OpenMP 2.5 have another size; the library keeps their functions. */
static void *next_of_runtime(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name), *newer = NULL;

	if (found && strstr(name, "_lock"))
		newer = dlvsym(RTLD_NEXT, name, "OMP_3.0");
	return copse_dlsym_newer(found, newer);
}

/* A program that looks up a name to test for OpenMP must not find ours. */
static bool is_hidden_name(void *handle, const char *name)
{
	bool ours = false, is;

	(void)handle;
	for (int row = 0; row < ROW_COUNT; row++)
		ours |= !strcmp(name, names[row]);
	is = ours && !dlsym(RTLD_NEXT, name) &&
	     !copse_loaded(is_runtime, false, name);
	dlerror();
	return is;
}

static void *in_front_of_nothing(const char *name, void *found,
				 const void *caller)
{
	(void)name;
	(void)found;
	(void)caller;
	return NULL;
}

static __attribute__((constructor)) void find_libgomp(void)
{
	copse_team_init();
	copse_dlsym_front(in_front_of_nothing, is_hidden_name);
	if (!dlsym(RTLD_NEXT, names[ROW_GOMP_parallel])) {
		dlerror();
		return; /* most programs have no OpenMP */
	}
	for (int row = 0; row < ROW_COUNT; row++) {
		void *found = next_of_runtime(names[row]);

		if (is_of_libgomp(found) || (found && is_of_llvm(names[row])))
			runtime_nexts[row] = found;
	}
	dlerror(); /* the program shall not see our failures */
	own_locks_find();
}

/* Mutable: modules that were looked up, until one is unloaded. */
static struct asked_module {
	const void *_Atomic map;
	uint32_t generation; /* of code */
	bool known;
	void *nexts[ROW_COUNT];
} modules[MODULES];
static unsigned int _Atomic module_count;

static const struct link_map *map_of_code(const void *code)
{
	struct loaded_object object;

	return copse_loaded_object(&object, code) ? object.map : NULL;
}

static uintptr_t address_of(const struct link_map *map, uintptr_t value)
{
	return value < map->l_addr ? map->l_addr + value : value;
}

/* The parts of a module that the loader uses. */
struct dynamic {
	const ElfW(Sym) * symbols;
	const char *strings;
	struct {
		const ElfW(Rela) * at;
		size_t size;
	} calls, others;
};

static void read_dynamic(struct dynamic *to, const struct link_map *map)
{
	*to = (struct dynamic){ 0 };
	for (const ElfW(Dyn) *d = map->l_ld; d && d->d_tag != DT_NULL; d++) {
		const void *at = (void *)address_of(map, d->d_un.d_ptr);

		if (d->d_tag == DT_SYMTAB)
			to->symbols = at;
		else if (d->d_tag == DT_STRTAB)
			to->strings = at;
		else if (d->d_tag == DT_JMPREL)
			to->calls.at = at;
		else if (d->d_tag == DT_RELA)
			to->others.at = at;
		else if (d->d_tag == DT_PLTRELSZ)
			to->calls.size = d->d_un.d_val;
		else if (d->d_tag == DT_RELASZ)
			to->others.size = d->d_un.d_val;
	}
}

/* The module to which one of these references to OpenMP is bound, or NULL. */
static const struct link_map *
module_bound_by_relocations(const struct link_map *map, const struct dynamic *d,
			    const ElfW(Rela) * at, size_t size)
{
	for (size_t i = 0; at && i < size / sizeof(*at); i++) {
		const ElfW(Sym) *symbol =
			&d->symbols[ELF64_R_SYM(at[i].r_info)];
		const char *name = d->strings + symbol->st_name;
		const struct link_map *to;

		if (!elf_binds(ELF64_R_TYPE(at[i].r_info)) ||
		    (strncmp(name, "omp_", 4) != 0 &&
		     strncmp(name, "GOMP_", 5) != 0))
			continue;
		to = map_of_code(*(void **)(map->l_addr + at[i].r_offset));
		if (to && to != map && to != map_of_code(names))
			return to;
	}
	return NULL;
}

static void *look_up_in_module(const struct link_map *map, const char *name)
{
	void *handle = map && *map->l_name
			       ? dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD)
			       : NULL;
	void *found = handle ? copse_dlsym_find(handle, name) : NULL;

	if (handle)
		dlclose(handle);
	return found;
}

/*
 * Where the module's other calls of OpenMP go; else where the loader would look
 * now: in what all see, then in what the module was linked with.
 */
static void *look_up_for(const struct link_map *map, const char *name)
{
	const struct link_map *bound = NULL;
	void *found = NULL;
	struct dynamic d;

	if (map)
		read_dynamic(&d, map);
	if (map && d.symbols && d.strings)
		bound = module_bound_by_relocations(map, &d, d.calls.at,
						    d.calls.size);
	if (map && d.symbols && d.strings && !bound)
		bound = module_bound_by_relocations(map, &d, d.others.at,
						    d.others.size);
	if (bound)
		found = look_up_in_module(bound, name);
	if (!found)
		found = next_of_runtime(name);
	if (!found && map)
		found = look_up_in_module(map, name);
	if (!found)
		found = copse_loaded(is_libgomp, true, name);
	dlerror();
	return found;
}

/* All names at once, so that threads in a region look up nothing. */
static void look_up_runtime_of_module(struct asked_module *to,
				      const struct link_map *map)
{
	to->known = true;
	for (int row = 0; row < ROW_COUNT; row++) {
		to->nexts[row] = look_up_for(map, names[row]);
		to->known &= !to->nexts[row] || is_of_llvm(names[row]) ||
			     is_of_libgomp(to->nexts[row]);
	}
}

static struct asked_module *find_asked_module(const struct link_map *map)
{
	unsigned int count = module_count < MODULES ? module_count : MODULES;

	for (unsigned int i = 0; i < count; i++)
		if (modules[i].map == map)
			return &modules[i];
	return NULL;
}

static void remember_module(const struct asked_module *m,
			    const struct link_map *map)
{
	struct asked_module *known = find_asked_module(map);
	unsigned int at =
		known ? (unsigned int)(known - modules) : module_count++;

	if (at >= MODULES) {
		module_count = MODULES;
		return;
	}
	modules[at].generation = m->generation;
	modules[at].known = m->known;
	memcpy(modules[at].nexts, m->nexts, sizeof(m->nexts));
	modules[at].map = map;
}

/* The name is nowhere: the loader would end the program, too. */
static _Noreturn void end_as_the_loader(const char *name)
{
	fprintf(stderr, "symbol lookup error: undefined symbol: %s\n", name);
	_exit(127);
}

void *runtime_function_of_caller(enum runtime_row row, const void *caller,
				 bool *known)
{
	const struct link_map *map = map_of_code(caller);
	struct asked_module asked = { .generation = copse_team_code() };
	const struct asked_module *m = find_asked_module(map);

	if (!m || m->generation != asked.generation) {
		look_up_runtime_of_module(&asked, map);
		remember_module(&asked, map);
		m = &asked;
	}
	*known = m->known;
	if (!m->nexts[row])
		end_as_the_loader(names[row]);
	return m->nexts[row];
}
