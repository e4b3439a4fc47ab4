/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * python-find.c - where the interpreter is, when the process starts or, if
 * there was none, when the program looks something up after a library was
 * loaded.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>

#include "base/settings.h"
#include "base/sigsafe.h"
#include "base/str.h"
#include "base/sys.h"
#include "collect/loaded.h"
#include "collect/python/python-code.h"
#include "collect/python/python-layout.h"
#include "collect/source.h"
#include "collect/transparency/dlsym.h"
#include "collect/unwind/loaded-object.h"
#include "live/layout.h"

/* Mutable: which there is; set once. */
static struct {
	uint16_t version; /* 0: none, or it does not say */
	bool is_known;
} seen;

/* Mutable: what looks for one that is loaded later. */
static struct {
	unsigned long long loaded; /* libraries, when it looked last */
	bool full, is_asked, is_looking;
} late;

/*
 * Mutable: what was found; python_layout points to it then.  An interpreter
 * that is loaded again elsewhere gets the second: readers of the first go on.
 */
static struct python_layout founds[2];

static const char *module_name(const struct link_map *map, char *room,
			       size_t size)
{
	long length;

	if (*map->l_name)
		return str_base(map->l_name);
	length = sys4(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", room,
		      size - 1);
	room[length > 0 ? length : 0] = 0;
	return str_base(room);
}

static bool is_libpython(const char *file)
{
	return !strncmp(file, "libpython3.", 11);
}

/* In all that is loaded: a library may have been opened for its caller only. */
static const void *find_symbol(const char *name)
{
	const void *symbol = dlsym(RTLD_DEFAULT, name);

	return symbol ? symbol : copse_loaded(is_libpython, false, name);
}

/* What says it best; a program that contains an old one says nothing. */
static uint16_t find_version(const uint64_t *runtime, const char *name)
{
	const unsigned long *version = find_symbol("Py_Version");

	return python_layout_version(runtime, version ? *version : 0, name);
}

static const ElfW(Sym) * symbol_at(const void *code)
{
	const ElfW(Sym) *symbol = NULL;
	Dl_info info;

	return code && dladdr1(code, &info, (void **)&symbol, RTLD_DL_SYMENT)
		       ? symbol
		       : NULL;
}

/* Where it is, and what it is called; false: there is none. */
static bool find_interpreter(struct python_layout *to, const char **name,
			     char *room, size_t size)
{
	const void *runtime = find_symbol("_PyRuntime");
	const void *code_type = find_symbol("PyCode_Type");
	const void *loop = find_symbol("_PyEval_EvalFrameDefault");
	const ElfW(Sym) *symbol = symbol_at(runtime), *code = symbol_at(loop);
	struct loaded_object object;

	if (!symbol || !code_type ||
	    !loaded_object_find(&object, (const void *)runtime))
		return false;
	to->runtime = (uintptr_t)runtime;
	to->runtime_end = to->runtime + symbol->st_size;
	to->code_type = (uintptr_t)code_type;
	to->loop = (uintptr_t)loop;
	to->loop_size = code ? code->st_size : 0;
	to->map = object.map;
	*name = module_name(object.map, room, size);
	return true;
}

static void python_find(bool full, bool is_late)
{
	struct python_layout *found = &founds[python_layout == founds];
	struct python_layout at = { 0 };
	const char *name;
	char path[4096];
	bool there = find_interpreter(&at, &name, path, sizeof(path));

	if (there) {
		const uint64_t *words = (const uint64_t *)at.runtime;

		seen.version = find_version(words, name);
		seen.is_known =
			python_layout_choose(found, words, seen.version) &&
			(at.loop_size || !found->frame.unit);
	}
	dlerror(); /* the program shall not see our failures */
	if (!there || !seen.is_known || !python_code_ready())
		return;
	found->runtime = at.runtime;
	/* One that may be closed is read so that this does no harm. */
	found->runtime_end = is_late ? at.runtime : at.runtime_end;
	found->code_type = at.code_type;
	found->loop = at.loop;
	found->loop_size = at.loop_size;
	found->map = at.map;
	found->alone = python_layout_is_alone(name);
	found->full = full;
	__atomic_store_n(&python_layout, found, __ATOMIC_RELEASE);
}

static int count_loaded(struct dl_phdr_info *info, size_t size, void *count)
{
	(void)size;
	*(unsigned long long *)count = info->dlpi_adds;
	return 1;
}

static bool is_still_there(void)
{
	const struct python_layout *layout =
		__atomic_load_n(&python_layout, __ATOMIC_ACQUIRE);
	struct loaded_object object;

	return layout &&
	       loaded_object_find(&object, (const void *)layout->runtime) &&
	       object.map == layout->map;
}

/* Who opens a library looks something up in it: there may be one by now. */
static void *look_for_late_one(const char *name, void *symbol,
			       const void *caller)
{
	unsigned long long count = 0;

	(void)name;
	(void)symbol;
	(void)caller;
	if (is_still_there())
		return NULL;
	dl_iterate_phdr(count_loaded, &count);
	if (__atomic_exchange_n(&late.loaded, count, __ATOMIC_RELAXED) !=
		    count &&
	    !__atomic_exchange_n(&late.is_looking, true, __ATOMIC_ACQUIRE)) {
		python_find(late.full, true);
		__atomic_store_n(&late.is_looking, false, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void python_start(const struct settings *settings)
{
	if (!strcmp(settings->python, "off") || python_layout)
		return;
	late.full = !strcmp(settings->python, "full");
	python_find(late.full, false);
	if (!python_layout && !seen.version && !late.is_asked)
		copse_dlsym_front(look_for_late_one, NULL);
	late.is_asked = true;
}

SIGSAFE static void python_describe(struct live_header *header)
{
	header->python = seen.version;
	header->python_known = seen.is_known;
}

const struct source source_python_find = {
	.start = python_start,
	.describe = python_describe,
};
