/* SPDX-License-Identifier: BSD-3-Clause */
/* python-layout.c - see python-layout.h. */
#include "collect/python/python-layout.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/settings.h"
#include "base/sigsafe.h"
#include "base/str.h"
#include "base/sys.h"
#include "collect/loaded.h"
#include "collect/source.h"
#include "collect/transparency/dlsym.h"
#include "live/layout.h"

/* By version: those that do not say it themselves. */
static const struct python_layout known[] = {
	{ .version = 0x30b,
	  .interpreter = { 40, 0, 16 },
	  .gil = { 360, true },
	  .thread = { 8, 152, 56, 296 },
	  .cframe = { 8, 16, true },
	  .frame = { .code = 32,
		     .previous = 48,
		     .instr = 56,
		     .owner = 69,
		     .size = 72,
		     .is_entry = 68,
		     .running = 5,
		     .suspended = -1 },
	  .code = { 112, 128, 136, 72, 184 },
	  .text = { 48, 72 } },
	{ .version = 0x30c,
	  .interpreter = { 40, 0, 72 },
	  .gil = { 384, false },
	  .thread = { 8, 136, 56, 232 },
	  .cframe = { 0, 8, true },
	  .frame = { .code = 0,
		     .previous = 8,
		     .instr = 56,
		     .owner = 70,
		     .size = 72,
		     .running = 5,
		     .suspended = -1 },
	  .code = { 112, 128, 136, 68, 192 },
	  .text = { 40, 56 } },
};

/*
 * What a later one says of itself, at the begin of _PyRuntime: words, of which
 * those of a part follow each other.
 */
enum { /* of all */
	COOKIE,
	VERSION,
	FREE_THREADED,
	RUNTIME_HEADS = 5,
	INTERPRETER = 6,
	OFFSET_MOST = 1 << 15
};

enum { /* behind the size of their part */
	INTERPRETER_NEXT = 2,
	INTERPRETER_THREADS,
	THREAD_NEXT = 2,
	THREAD_FRAME = 4,
	THREAD_ID,
	THREAD_CHUNK = 7,
	FRAME_PREVIOUS = 1,
	FRAME_EXECUTABLE,
	FRAME_INSTR,
	FRAME_LOCALS,
	FRAME_OWNER,
	CODE_FILE = 1,
	CODE_QUALNAME = 3,
	CODE_LINES,
	CODE_FIRST,
	CODE_ADAPTIVE = 9,
};

static const struct offsets_of {
	uint16_t version;
	uint8_t gil, thread, frame, code; /* where the word, the parts are */
	uint8_t tags;                     /* of references in frames */
} says[] = { { 0x30d, 14, 19, 28, 34, 0 }, { 0x30e, 15, 22, 31, 39, 3 } };

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
 * Mutable: what was found; python_layout points to it then.  Of one that is
 * loaded again elsewhere the other one tells: who reads the first goes on.
 */
static struct python_layout founds[2];
const struct python_layout *python_layout;

/* A member that does not lie within its part is none that is known. */
static bool take_offset(uint16_t *to, const uint64_t *part, int member)
{
	*to = (uint16_t)part[member];
	return part[member] < part[0] && part[member] < OFFSET_MOST;
}

/* A build that keeps more than is read, or elsewhere, is not known. */
static bool is_within_reads(const struct python_layout *l)
{
	const uint16_t frame[] = { l->frame.code, l->frame.previous,
				   l->frame.instr };
	const uint16_t code[] = { l->code.file, l->code.name, l->code.lines,
				  l->code.first };

	for (size_t i = 0; i < 3; i++)
		if (frame[i] + sizeof(uintptr_t) > l->frame.size)
			return false;
	for (size_t i = 0; i < 4; i++)
		if (code[i] + sizeof(uintptr_t) > l->code.bytes)
			return false;
	return l->frame.owner < l->frame.size &&
	       l->frame.size <= PYTHON_FRAME_MOST &&
	       l->code.bytes <= PYTHON_CODE_MOST;
}

static bool by_offsets(struct python_layout *to, const uint64_t *words,
		       const struct offsets_of *at)
{
	const uint64_t *interpreter = words + INTERPRETER;
	const uint64_t *thread = words + at->thread;
	const uint64_t *frame = words + at->frame, *code = words + at->code;

	*to = (struct python_layout){
		.interpreter.heads = (uint16_t)words[RUNTIME_HEADS],
		.frame = { .running = 5, .suspended = -2, .tags = at->tags },
		.text = { 40, 56 },
	};
	return words[RUNTIME_HEADS] < OFFSET_MOST &&
	       take_offset(&to->interpreter.next, interpreter,
			   INTERPRETER_NEXT) &&
	       take_offset(&to->interpreter.threads, interpreter,
			   INTERPRETER_THREADS) &&
	       take_offset(&to->gil.at, interpreter, at->gil - INTERPRETER) &&
	       take_offset(&to->thread.next, thread, THREAD_NEXT) &&
	       take_offset(&to->thread.id, thread, THREAD_ID) &&
	       take_offset(&to->thread.frame, thread, THREAD_FRAME) &&
	       take_offset(&to->thread.chunk, thread, THREAD_CHUNK) &&
	       take_offset(&to->frame.code, frame, FRAME_EXECUTABLE) &&
	       take_offset(&to->frame.previous, frame, FRAME_PREVIOUS) &&
	       take_offset(&to->frame.instr, frame, FRAME_INSTR) &&
	       take_offset(&to->frame.owner, frame, FRAME_OWNER) &&
	       take_offset(&to->frame.size, frame, FRAME_LOCALS) &&
	       take_offset(&to->code.file, code, CODE_FILE) &&
	       take_offset(&to->code.name, code, CODE_QUALNAME) &&
	       take_offset(&to->code.lines, code, CODE_LINES) &&
	       take_offset(&to->code.first, code, CODE_FIRST) &&
	       take_offset(&to->code.bytes, code, CODE_ADAPTIVE) &&
	       is_within_reads(to);
}

/* "python3.9", "libpython3.10.so.1.0": 0x309, 0x30a; 0: it does not say. */
static uint16_t version_of_name(const char *name)
{
	const char *at = strstr(name, "python3.");
	unsigned long minor = at ? strtoul(at + 8, NULL, 10) : 0;

	return minor && minor < 0x100 ? (uint16_t)(0x300 + minor) : 0;
}

static bool choose_layout(struct python_layout *to, const uint64_t *runtime,
			  uint16_t version)
{
	bool says_it = !memcmp(runtime, "xdebugpy", 8);

	for (size_t i = 0; says_it && i < sizeof(says) / sizeof(*says); i++)
		if (says[i].version == version && !runtime[FREE_THREADED])
			return by_offsets(to, runtime, &says[i]);
	for (size_t i = 0; !says_it && i < sizeof(known) / sizeof(*known); i++)
		if (known[i].version == version) {
			*to = known[i];
			return true;
		}
	return false;
}

static const char *module_name(const struct link_map *map, char *room,
			       size_t size)
{
	long length;

	if (*map->l_name)
		return str_base(map->l_name);
	length = sys3(SYS_readlink, "/proc/self/exe", room, size - 1);
	room[length > 0 ? length : 0] = 0;
	return str_base(room);
}

/* python3, python3.11, libpython3.11.so.1.0: not a program that contains it. */
static bool is_interpreter_alone(const char *name)
{
	return !strncmp(name, "python", 6) || !strncmp(name, "libpython", 9);
}

static bool is_libpython(const char *file)
{
	return !strncmp(file, "libpython3.", 11);
}

/* In all that is loaded: who opened it may have done so for himself only. */
static const void *find_symbol(const char *name)
{
	const void *symbol = dlsym(RTLD_DEFAULT, name);

	return symbol ? symbol : copse_loaded(is_libpython, false, name);
}

/* What says it best; a program that contains an old one says nothing. */
static uint16_t find_version(const uint64_t *runtime, const char *name)
{
	const unsigned long *version = find_symbol("Py_Version");

	if (!memcmp(runtime, "xdebugpy", 8))
		return (uint16_t)(runtime[VERSION] >> 16);
	return version ? (uint16_t)(*version >> 16) : version_of_name(name);
}

/* Where it is, and what it is called; false: there is none. */
static bool find_interpreter(struct python_layout *to, const char **name,
			     char *room, size_t size)
{
	const void *runtime = find_symbol("_PyRuntime");
	const void *code_type = find_symbol("PyCode_Type");
	const ElfW(Sym) *symbol = NULL;
	Dl_info info;
	struct dl_find_object object;

	if (!runtime || !code_type ||
	    _dl_find_object((void *)runtime, &object) ||
	    !dladdr1(runtime, &info, (void **)&symbol, RTLD_DL_SYMENT) ||
	    !symbol)
		return false;
	to->runtime = (uintptr_t)runtime;
	to->runtime_end = to->runtime + symbol->st_size;
	to->code_type = (uintptr_t)code_type;
	to->map = object.dlfo_link_map;
	*name = module_name(object.dlfo_link_map, room, size);
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
		seen.is_known = choose_layout(found, words, seen.version);
	}
	dlerror(); /* the program shall not see our failures */
	if (!there || !seen.is_known)
		return;
	found->runtime = at.runtime;
	/* One that may be closed is read so that this does no harm. */
	found->runtime_end = is_late ? at.runtime : at.runtime_end;
	found->code_type = at.code_type;
	found->map = at.map;
	found->alone = is_interpreter_alone(name);
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
	struct dl_find_object object;

	return layout && !_dl_find_object((void *)layout->runtime, &object) &&
	       object.dlfo_link_map == layout->map;
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
		copse_look_up_front(look_for_late_one, NULL);
	late.is_asked = true;
}

SIGSAFE static void python_describe(struct live_header *header)
{
	header->python = seen.version;
	header->python_known = seen.is_known;
}

const struct source source_python_layout = {
	.start = python_start,
	.describe = python_describe,
};
