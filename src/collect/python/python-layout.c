/* SPDX-License-Identifier: BSD-3-Clause */
/* python-layout.c - see python-layout.h. */
#include "collect/python/python-layout.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* By version: those that do not say it themselves. */
#define WITH_GIL .object = { .type = 8, .size = 16 }, .bytes = 32
static const struct python_layout known[] = {
	{ .version = 0x309,
	  .interpreter = { 32, 0, 8 },
	  .gil = { 352, true, 568 },
	  .thread = { 8, 176, 24 },
	  .frame = { .code = 32,
		     .previous = 24,
		     .instr = 104,
		     .size = 112,
		     .unit = 1 },
	  .code = { 104, 112, 120, 40, 128, true },
	  .text = { 32, 48, 72 },
	  WITH_GIL },
	{ .version = 0x30a,
	  .interpreter = { 32, 0, 8 },
	  .gil = { 352, true, 568 },
	  .thread = { 8, 176, 24 },
	  .cframe = { .previous = 8, .last = 48, .first = 264 },
	  .frame = { .code = 32,
		     .previous = 24,
		     .instr = 96,
		     .size = 104,
		     .unit = 2 },
	  .code = { 104, 112, 120, 40, 128, true },
	  .text = { 32, 48, 72 },
	  WITH_GIL },
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
		     .suspended = { -1, -1 } },
	  .code = { 112, 128, 136, 72, 184, .flags = 48 },
	  .text = { 32, 48, 72 },
	  WITH_GIL },
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
		     .suspended = { -1, -1 } },
	  .code = { 112, 128, 136, 68, 192, .flags = 48, .version = 92 },
	  .text = { 32, 40, 56 },
	  WITH_GIL },
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
	GIL_ITSELF = 1, /* … or the word of its address */
	GIL_ENABLED,
	GIL_HOLDER = 4,
	THREAD_NEXT = 2,
	THREAD_FRAME = 4,
	THREAD_ID,
	THREAD_CHUNK = 7,
	FRAME_PREVIOUS = 1,
	FRAME_EXECUTABLE,
	FRAME_INSTR,
	FRAME_LOCALS,
	FRAME_OWNER,
	FRAME_COPY = 7,
	CODE_FILE = 1,
	CODE_QUALNAME = 3,
	CODE_LINES,
	CODE_FIRST,
	CODE_ARGUMENTS,
	CODE_LOCALS,
	CODE_ADAPTIVE = 9,
	CODE_COPIES,
	OBJECT_TYPE = 1,
	BYTES_SIZE = 1,
	BYTES_TEXT,
	TEXT_STATE = 1,
	TEXT_LENGTH,
	TEXT_HEAD,
};

enum { /* what a build without GIL does not say, of 3.13 to 3.15 */
	FREE_OBJECT = 32,
	FREE_LOCAL = 12,
	FREE_SHARED = 16,
	FREE_TYPE = 24,
	FREE_HOLDER = 16, /* of the GIL, behind the word that is `enabled` */
	WIDE_MORE = 16,
};

enum { /* words of 32 bits of a code object, that are not said */
	CODE_WORD = 4,
	VERSION_BEHIND_FIRST = 6,
};

static const struct offsets_of {
	uint16_t version;
	uint8_t gil, thread, frame, code; /* where the word, the parts are */
	uint8_t between; /* words between a thread's frame and its id */
	uint8_t tags;    /* of references in frames */
	int8_t runs, suspended[2];   /* states of generators */
	uint8_t object, bytes, text; /* read where there is no GIL */
	bool copies;                 /* of bytecode, where there is none */
} says[] = { { 0x30d, 14, 19, 28, 34, 0, 0, 0, { -2, -1 }, 44, 64, 67, false },
	     { 0x30e, 15, 22, 31, 39, 0, 3, 0, { -2, -1 }, 50, 74, 77, true },
	     { 0x30f, 15, 22, 39, 47, 3, 3, 4, { 1, 3 }, 58, 86, 89, true } };

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
	const uint16_t code[] = {
		l->code.file,  l->code.name,  l->code.lines,
		l->code.first, l->code.flags, l->code.version
	};

	for (size_t i = 0; i < 3; i++)
		if (frame[i] + sizeof(uintptr_t) > l->frame.size)
			return false;
	for (size_t i = 0; i < sizeof(code) / sizeof(*code); i++)
		if (code[i] + sizeof(uintptr_t) > l->code.bytes)
			return false;
	return l->frame.owner < l->frame.size &&
	       l->frame.size <= PYTHON_FRAME_MOST &&
	       l->code.bytes <= PYTHON_CODE_MOST;
}

/* Flags come before the number of arguments, a version before the locals. */
static bool take_code_words(struct python_layout *to, const uint64_t *code)
{
	if (!take_offset(&to->code.flags, code, CODE_ARGUMENTS) ||
	    !take_offset(&to->code.version, code, CODE_LOCALS))
		return false;
	to->code.flags -= CODE_WORD;
	to->code.version -= CODE_WORD;
	return to->code.version ==
	       to->code.first + VERSION_BEHIND_FIRST * CODE_WORD;
}

static bool take_all_offsets(struct python_layout *to, const uint64_t *words,
			     const struct offsets_of *at)
{
	const uint64_t *interpreter = words + INTERPRETER;
	const uint64_t *thread = words + at->thread;
	const uint64_t *frame = words + at->frame, *code = words + at->code;

	*to = (struct python_layout){
		.interpreter.heads = (uint16_t)words[RUNTIME_HEADS],
		.frame = { .running = 5,
			   .runs = at->runs,
			   .suspended = { at->suspended[0], at->suspended[1] },
			   .tags = at->tags },
		.text = { 32, 40, 56 },
		WITH_GIL,
	};
	return words[RUNTIME_HEADS] < OFFSET_MOST &&
	       take_offset(&to->interpreter.next, interpreter,
			   INTERPRETER_NEXT) &&
	       take_offset(&to->interpreter.threads, interpreter,
			   INTERPRETER_THREADS) &&
	       take_offset(&to->gil.at, interpreter, at->gil - INTERPRETER) &&
	       take_offset(&to->thread.next, thread, THREAD_NEXT) &&
	       take_offset(&to->thread.id, thread, THREAD_ID + at->between) &&
	       take_offset(&to->thread.frame, thread, THREAD_FRAME) &&
	       take_offset(&to->thread.chunk, thread,
			   THREAD_CHUNK + at->between) &&
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
	       take_code_words(to, code) && is_within_reads(to);
}

/* From 3.14 on threads have bytecode of their own. */
static bool take_code_copies(struct python_layout *to, const uint64_t *words,
			     const struct offsets_of *at)
{
	return take_offset(&to->frame.copy, words + at->frame, FRAME_COPY) &&
	       take_offset(&to->code.copies, words + at->code, CODE_COPIES) &&
	       to->frame.copy && to->code.copies &&
	       to->frame.copy + sizeof(int32_t) <= to->frame.size &&
	       to->code.copies + sizeof(uintptr_t) <= to->code.bytes;
}

/* Without GIL objects begin otherwise, and there may be a GIL all the same. */
static bool without_gil(struct python_layout *to, const uint64_t *words,
			const struct offsets_of *at)
{
	const uint64_t *gil = words + at->gil;
	const uint64_t *object = words + at->object;
	const uint64_t *bytes = words + at->bytes, *text = words + at->text;

	to->object.local = FREE_LOCAL;
	to->object.shared = FREE_SHARED;
	to->gil.before = sizeof(uint64_t);
	to->text.ascii = (uint16_t)text[TEXT_HEAD];
	to->text.wide = (uint16_t)(text[TEXT_HEAD] + WIDE_MORE);
	return object[0] == FREE_OBJECT && gil[GIL_ENABLED] == 0 &&
	       gil[GIL_HOLDER] == gil[GIL_ITSELF] + FREE_HOLDER &&
	       take_offset(&to->object.type, object, OBJECT_TYPE) &&
	       to->object.type == FREE_TYPE &&
	       take_offset(&to->object.size, bytes, BYTES_SIZE) &&
	       take_offset(&to->bytes, bytes, BYTES_TEXT) &&
	       take_offset(&to->text.state, text, TEXT_STATE) &&
	       text[TEXT_HEAD] <= PYTHON_TEXT_MOST &&
	       to->text.state + sizeof(uint64_t) <= text[TEXT_HEAD] &&
	       to->object.size + sizeof(uint64_t) <= text[TEXT_HEAD] &&
	       text[TEXT_LENGTH] == to->object.size &&
	       (!at->copies || take_code_copies(to, words, at));
}

bool python_layout_choose(struct python_layout *to, const uint64_t *runtime,
			  uint16_t version)
{
	bool says_it = !memcmp(runtime, "xdebugpy", 8);

	for (size_t i = 0; says_it && i < sizeof(says) / sizeof(*says); i++)
		if (says[i].version == version)
			return take_all_offsets(to, runtime, &says[i]) &&
			       (!runtime[FREE_THREADED] ||
				without_gil(to, runtime, &says[i]));
	for (size_t i = 0; !says_it && i < sizeof(known) / sizeof(*known); i++)
		if (known[i].version == version) {
			*to = known[i];
			return true;
		}
	return false;
}

static uint16_t version_of_name(const char *name)
{
	const char *at = strstr(name, "python3.");
	unsigned long minor = at ? strtoul(at + 8, NULL, 10) : 0;

	return minor && minor < 0x100 ? (uint16_t)(0x300 + minor) : 0;
}

/* A program that contains an old one says nothing. */
uint16_t python_layout_version(const uint64_t *runtime, unsigned long version,
			       const char *name)
{
	if (!memcmp(runtime, "xdebugpy", 8))
		return (uint16_t)(runtime[VERSION] >> 16);
	return version ? (uint16_t)(version >> 16) : version_of_name(name);
}

bool python_layout_is_alone(const char *name)
{
	return !strncmp(name, "python", 6) || !strncmp(name, "libpython", 9);
}
