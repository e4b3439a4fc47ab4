/* SPDX-License-Identifier: BSD-3-Clause */
/* python-layout.c - see python-layout.h. */
#include "collect/python/python-layout.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

#include "base/settings.h"
#include "base/str.h"
#include "base/sys.h"
#include "collect/source.h"

/* By version: 3.11 to 3.12. */
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

/* What a later one says of itself, at the begin of _PyRuntime: of 3.13. */
struct debug_offsets {
	char cookie[8];
	uint64_t version, free_threaded;
	struct {
		uint64_t size, finalizing, interpreters_head;
	} runtime;
	struct {
		uint64_t size, id, next, threads_head, others[4], ceval_gil,
			gil[4];
	} interpreter;
	struct {
		uint64_t size, prev, next, interp, current_frame, thread_id,
			native_thread_id, datastack_chunk, status;
	} thread;
	struct {
		uint64_t size, previous, executable, instr_ptr, localsplus,
			owner;
	} frame;
	struct {
		uint64_t size, filename, name, qualname, linetable, firstlineno,
			argcount, localsplusnames, localspluskinds,
			co_code_adaptive;
	} code;
};

enum {
	VERSION_OF_OFFSETS = 0x30d,
	OFFSET_MOST = 1 << 15
};

/* Mutable: what was found; python_layout points to it then. */
static struct python_layout found;
const struct python_layout *python_layout;

/* A member that `to` has no room for is none that is known. */
static bool take_offset(uint16_t *to, uint64_t offset)
{
	*to = (uint16_t)offset;
	return offset < OFFSET_MOST;
}

/* A build that keeps more than is read, or elsewhere, is not known. */
static bool is_within_reads(const struct python_layout *l)
{
	const uint16_t frame[] = { l->frame.code, l->frame.previous,
				   l->frame.instr, l->frame.owner };
	const uint16_t code[] = { l->code.file, l->code.name, l->code.lines,
				  l->code.first };

	for (size_t i = 0; i < 4; i++)
		if (frame[i] + sizeof(uintptr_t) > PYTHON_FRAME_MOST ||
		    code[i] + sizeof(uintptr_t) > l->code.bytes)
			return false;
	return l->frame.owner < l->frame.size &&
	       l->frame.size <= PYTHON_FRAME_MOST &&
	       l->code.bytes <= PYTHON_CODE_MOST;
}

static bool by_offsets(struct python_layout *to, const struct debug_offsets *o)
{
	*to = (struct python_layout){
		.version = (uint16_t)(o->version >> 16),
		.frame.running = 5,
		.frame.suspended = -2,
		.text = { 40, 56 },
	};
	return to->version == VERSION_OF_OFFSETS && !o->free_threaded &&
	       take_offset(&to->interpreter.heads,
			   o->runtime.interpreters_head) &&
	       take_offset(&to->interpreter.next, o->interpreter.next) &&
	       take_offset(&to->interpreter.threads,
			   o->interpreter.threads_head) &&
	       take_offset(&to->gil.at, o->interpreter.ceval_gil) &&
	       take_offset(&to->thread.next, o->thread.next) &&
	       take_offset(&to->thread.id, o->thread.thread_id) &&
	       take_offset(&to->thread.frame, o->thread.current_frame) &&
	       take_offset(&to->thread.chunk, o->thread.datastack_chunk) &&
	       take_offset(&to->frame.code, o->frame.executable) &&
	       take_offset(&to->frame.previous, o->frame.previous) &&
	       take_offset(&to->frame.instr, o->frame.instr_ptr) &&
	       take_offset(&to->frame.owner, o->frame.owner) &&
	       take_offset(&to->frame.size, o->frame.localsplus) &&
	       take_offset(&to->code.file, o->code.filename) &&
	       take_offset(&to->code.name, o->code.qualname) &&
	       take_offset(&to->code.lines, o->code.linetable) &&
	       take_offset(&to->code.first, o->code.firstlineno) &&
	       take_offset(&to->code.bytes, o->code.co_code_adaptive) &&
	       is_within_reads(to);
}

static bool choose_layout(struct python_layout *to, const void *runtime)
{
	const unsigned long *version = dlsym(RTLD_DEFAULT, "Py_Version");

	if (!memcmp(runtime, "xdebugpy", 8))
		return by_offsets(to, runtime);
	for (size_t i = 0; version && i < sizeof(known) / sizeof(*known); i++)
		if (known[i].version == *version >> 16) {
			*to = known[i];
			return true;
		}
	return false;
}

/* python3, python3.11, libpython3.11.so.1.0: not a program that contains it. */
static bool is_interpreter_alone(const struct link_map *map)
{
	const char *name = map->l_name;
	char path[4096];
	long length;

	if (!*name) {
		length = sys3(SYS_readlink, "/proc/self/exe", path,
			      sizeof(path) - 1);
		path[length > 0 ? length : 0] = 0;
		name = path;
	}
	name = str_base(name);
	return !strncmp(name, "python", 6) || !strncmp(name, "libpython", 9);
}

void python_find(bool full)
{
	const void *runtime = dlsym(RTLD_DEFAULT, "_PyRuntime");
	const void *code_type = dlsym(RTLD_DEFAULT, "PyCode_Type");
	struct dl_find_object object;
	const ElfW(Sym) * symbol;
	Dl_info info;

	dlerror(); /* the program shall not see our failures */
	if (!runtime || !code_type || python_layout ||
	    _dl_find_object((void *)runtime, &object) ||
	    !dladdr1(runtime, &info, (void **)&symbol, RTLD_DL_SYMENT) ||
	    !symbol || !choose_layout(&found, runtime))
		return;
	found.runtime = (uintptr_t)runtime;
	found.runtime_end = found.runtime + symbol->st_size;
	found.code_type = (uintptr_t)code_type;
	found.map = object.dlfo_link_map;
	found.alone = is_interpreter_alone(object.dlfo_link_map);
	found.full = full;
	__atomic_store_n(&python_layout, &found, __ATOMIC_RELEASE);
}

static void python_start(const struct settings *settings)
{
	if (strcmp(settings->python, "off") != 0)
		python_find(!strcmp(settings->python, "full"));
}

const struct source source_python_layout = {
	.start = python_start,
};
