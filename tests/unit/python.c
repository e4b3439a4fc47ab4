/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * python.c - functions of Python in interpreters that are made: the runtime's
 * state, a thread, frames and code, as versions lay them out.
 */
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "arch/registers.h"
#include "collect/python/python-code.h"
#include "collect/python/python-frames.h"
#include "collect/python/python-gil.h"
#include "collect/registry.h"
#include "collect/unwind/unwind.h"
#include "collect/unwind/loaded-object.h"
#include "profile/live/live-reader.h"
#include "tests/lib/test.h"

enum {
	MOST = 100,
	WORDS = 128,
	BY_INTERPRETER = 3,
	BY_GENERATOR = 1,
	EXECUTING = 4, /* a generator of 3.15, … */
	SUSPENDED = 1,
	CLEARED = 5,
};

static struct python_layout layout;
static struct unwinder unwinder;
static struct tree tree;
static char directory[] = "/dev/shm/copse-unit-XXXXXX";

/* What an interpreter has, each behind some room. */
static uint64_t runtime[WORDS], interpreter[WORDS], thread[WORDS];
static uint64_t codes[2][WORDS], texts[2][WORDS], lines[WORDS];
static uint64_t frames[4][WORDS];
static uint64_t code_type;

static void put(uint64_t *to, uint32_t offset, uint64_t value, uint32_t size)
{
	memcpy((char *)to + offset, &value, size);
}

static uintptr_t frame_at(int i)
{
	return (uintptr_t)&frames[i][8];
}

static void make_text(int i, const char *name)
{
	uint64_t *text = texts[i];

	put(text, layout.object.size, strlen(name), 8);
	put(text, layout.text.state, 25 << (layout.code.copies ? 8 : 2), 4);
	memcpy((char *)text + layout.text.ascii, name, strlen(name));
}

static void make_code(int i, const char *name)
{
	uint64_t *text = texts[i], *code = codes[i];

	make_text(i, name);
	put(code, layout.object.local, 1, 4);
	put(code, layout.object.type, (uintptr_t)&code_type, 8);
	put(code, layout.object.size, 20, 8);
	put(code, layout.code.name, (uintptr_t)text, 8);
	put(code, layout.code.file, (uintptr_t)text, 8);
	put(code, layout.code.lines, (uintptr_t)lines, 8);
	put(code, layout.code.first, 7, 4);
}

/* One that is at the instruction 4 bytes into a function. */
static void make_frame(int i, int code, uintptr_t previous)
{
	uint64_t at = (uintptr_t)codes[code];

	put(&frames[i][8], layout.frame.previous, previous, 8);
	put(&frames[i][8], layout.frame.code, at, 8);
	if (layout.frame.unit)
		put(&frames[i][8], layout.frame.instr, 4 / layout.frame.unit,
		    4);
	else
		put(&frames[i][8], layout.frame.instr,
		    at + layout.code.bytes + 4, 8);
}

/* Of `outer`, which calls `inner`, 0. */
static void make_interpreter(uint16_t version)
{
	CHECK(python_code_ready());
	CHECK(python_layout_choose(&layout, runtime, version));
	layout.runtime = layout.runtime_end = (uintptr_t)runtime;
	layout.code_type = (uintptr_t)&code_type;
	put(runtime, layout.interpreter.heads, (uintptr_t)interpreter, 8);
	put(interpreter, layout.interpreter.threads, (uintptr_t)thread, 8);
	put(thread, layout.thread.id, registers_thread(), 8);
	put(thread, layout.thread.frame, frame_at(0), 8);
	make_code(0, "inner");
	make_code(1, "outer");
	make_frame(0, 0, frame_at(1));
	make_frame(1, 1, 0);
	python_layout = &layout;
}

static void start(uint16_t version)
{
	static struct settings settings;
	uintptr_t high = (uintptr_t)__builtin_frame_address(0) + 1024;
	uint32_t index;

	CHECK(mkdtemp(directory));
	settings_init(&settings);
	registry_init(&settings, directory);
	CHECK(registry_open());
	CHECK(!tree_init(&tree, registry_open(), registry_thread(1, &index)));
	unwind_init(&unwinder, calloc(1, unwind_size(MOST)), MOST);
	unwinder.hidden = NULL;
	unwind_reuse(&unwinder, high - (8 << 20), high);
	make_interpreter(version);
}

static void finish(void)
{
	char command[100] = "rm -r ";

	CHECK(!system(strcat(command, directory)));
}

static const char *name_of(uint32_t index)
{
	live_ref ref = registry_header()->names;
	const struct live_name *name = arena_at(registry_open(), ref);

	while (index--)
		name = arena_at(registry_open(), name->next);
	return ((struct live_text *)arena_at(registry_open(), name->text))
		->text;
}

static enum python_read read_again(const uint64_t *stack, bool afresh)
{
	struct python_stack own = { (uintptr_t)stack,
				    (uintptr_t)(stack + WORDS),
				    registers_thread() };

	if (!unwinder.python.known)
		CHECK(python_frames_find(&unwinder.python, &unwinder.reader,
					 &own));
	safe_read_forget(&unwinder.reader);
	return python_frames_read(&unwinder.python, &unwinder.reader, &own,
				  afresh, false);
}

static enum python_read read_frames(const uint64_t *stack)
{
	return read_again(stack, true);
}

static bool is_frame(uint32_t i, const char *name, const uint64_t *mark)
{
	const struct python_frame *f = python_frame_fresh(&unwinder.python, i);

	return !strcmp(name_of(f->name.index), name) &&
	       f->entry == (uintptr_t)mark && python_frame_offset(f) == 4 + 2;
}

/* A mark for each: one more, or one less, and the walk has to tell. */
TEST(marks_of_3_10)
{
	uint64_t stack[WORDS] = { 0 };

	start(0x30a);
	put(thread, layout.cframe.last, (uintptr_t)&stack[10], 8);
	stack[5] = (uintptr_t)&stack[10];
	stack[11] = (uintptr_t)&stack[20];
	stack[21] = (uintptr_t)thread + layout.cframe.first;
	CHECK(read_frames(stack), ==, PYTHON_READ);
	CHECK(unwinder.python.read, ==, 2);
	CHECK(is_frame(0, "outer", &stack[20]));
	CHECK(is_frame(1, "inner", &stack[10]));
	put(thread, layout.cframe.last, (uintptr_t)&stack[4], 8);
	CHECK(read_frames(stack), ==, PYTHON_READ);
	CHECK(unwinder.python.unmarked);
	CHECK(is_frame(1, "inner", NULL));
	put(thread, layout.cframe.last, (uintptr_t)&stack[20], 8);
	CHECK(read_frames(stack), ==, PYTHON_READ);
	CHECK(unwinder.python.unmarked);
	CHECK(is_frame(0, "outer", NULL));
	put(thread, layout.cframe.last, (uintptr_t)&stack[10], 8);
	CHECK(read_frames(stack), ==, PYTHON_READ);
	CHECK(!unwinder.python.unmarked);
	finish();
}

struct published {
	uint8_t word;
	uint16_t value;
};

static void publish(const struct published *words, size_t count)
{
	memset(runtime, 0, sizeof(runtime));
	memcpy(runtime, "xdebugpy", 8);
	for (size_t i = 0; i < count; i++)
		runtime[words[i].word] = words[i].value;
}

/* As 3.15 publishes them, with its offsets of 2026. */
static void publish_3_15(void)
{
	static const struct published words[] = {
		{ 5, 800 },  { 6, 900 }, { 8, 0 },    { 9, 16 },   { 15, 32 },
		{ 22, 400 }, { 24, 8 },  { 26, 80 },  { 27, 88 },  { 30, 160 },
		{ 32, 240 }, { 39, 88 }, { 40, 8 },   { 41, 0 },   { 42, 56 },
		{ 43, 80 },  { 44, 74 }, { 47, 216 }, { 48, 112 }, { 50, 128 },
		{ 51, 136 }, { 52, 68 }, { 53, 52 },  { 54, 96 },  { 56, 208 },
	};

	publish(words, sizeof(words) / sizeof(*words));
}

/* As 3.13.5 publishes them when it is built without GIL. */
static void publish_3_13_without_gil(void)
{
	static const struct published words[] = {
		{ 2, 1 },    { 5, 632 },  { 6, 1000 }, { 8, 0 },    { 9, 16 },
		{ 14, 24 },  { 15, 760 }, { 18, 776 }, { 17, 784 }, { 19, 304 },
		{ 21, 8 },   { 23, 72 },  { 24, 152 }, { 26, 232 }, { 28, 80 },
		{ 29, 8 },   { 30, 0 },   { 31, 56 },  { 32, 72 },  { 33, 70 },
		{ 34, 224 }, { 35, 128 }, { 37, 144 }, { 38, 152 }, { 39, 84 },
		{ 40, 68 },  { 41, 112 }, { 43, 216 }, { 44, 32 },  { 45, 24 },
		{ 64, 56 },  { 65, 32 },  { 66, 48 },  { 67, 80 },  { 68, 48 },
		{ 69, 32 },  { 70, 56 },
	};

	publish(words, sizeof(words) / sizeof(*words));
}

/* Below both is an entry, below that the root, which is none. */
TEST(frames_of_3_15)
{
	uint64_t stack[WORDS] = { 0 };
	char *frame = (char *)frame_at(0), *root = (char *)frame_at(2);
	uintptr_t entry = (uintptr_t)&stack[40];

	publish_3_15();
	start(0x30f);
	put(&frames[1][8], layout.frame.previous, entry, 8);
	put(&stack[40], layout.frame.previous, (uintptr_t)root, 8);
	((char *)entry)[layout.frame.owner] = BY_INTERPRETER;
	root[layout.frame.owner] = BY_INTERPRETER;
	CHECK(read_frames(stack), ==, PYTHON_READ);
	CHECK(unwinder.python.read, ==, 2);
	CHECK(is_frame(0, "outer", &stack[40]));
	CHECK(is_frame(1, "inner", &stack[40]));
	frame[layout.frame.owner] = BY_GENERATOR;
	CHECK(read_frames(stack), ==, PYTHON_TORN);
	frame[-layout.frame.running] = EXECUTING;
	CHECK(read_frames(stack), ==, PYTHON_READ);
	frame[-layout.frame.running] = SUSPENDED;
	CHECK(read_frames(stack), ==, PYTHON_READ);
	frame[-layout.frame.running] = CLEARED;
	CHECK(read_frames(stack), ==, PYTHON_TORN);
	finish();
}

static const mcontext_t no_registers;

static bool gil_is(enum python_gil is)
{
	return python_gil_now(&unwinder.python, &unwinder.reader,
			      &no_registers) == is;
}

/* The thread's in another interpreter, which runs `inner` by the entry. */
static void add_interpreter(uint64_t *entry)
{
	static uint64_t another[WORDS], its_thread[WORDS];

	put(runtime, layout.interpreter.heads, (uintptr_t)another, 8);
	put(another, layout.interpreter.next, (uintptr_t)interpreter, 8);
	put(another, layout.interpreter.threads, (uintptr_t)its_thread, 8);
	put(its_thread, layout.thread.id, registers_thread(), 8);
	put(its_thread, layout.thread.frame, frame_at(0), 8);
	put(thread, layout.thread.frame, frame_at(1), 8);
	put(&frames[0][8], layout.frame.previous, (uintptr_t)entry, 8);
	((char *)entry)[layout.frame.owner] = BY_INTERPRETER;
}

/* Its frames are nearer to the leaf, on the same stack, or not the thread's. */
TEST(an_interpreter_in_another)
{
	uint64_t stack[WORDS] = { 0 }, elsewhere[WORDS] = { 0 };

	publish_3_13_without_gil();
	start(0x30d);
	put(&frames[1][8], layout.frame.previous, (uintptr_t)&stack[40], 8);
	((char *)&stack[40])[layout.frame.owner] = BY_INTERPRETER;
	add_interpreter(&stack[20]);
	CHECK(read_frames(stack), ==, PYTHON_READ);
	CHECK(unwinder.python.read, ==, 2);
	CHECK(is_frame(0, "outer", &stack[40]));
	CHECK(is_frame(1, "inner", &stack[20]));
	add_interpreter(&elsewhere[20]);
	CHECK(read_frames(stack), ==, PYTHON_READ);
	CHECK(unwinder.python.read, ==, 1);
	CHECK(is_frame(0, "outer", &stack[40]));
	add_interpreter(&stack[60]);
	CHECK(read_frames(stack), ==, PYTHON_TORN);
	finish();
}

/* It has references of two kinds, and a GIL that need not be in use. */
TEST(a_3_13_without_gil)
{
	uint64_t stack[WORDS] = { 0 };
	uint64_t gil[32] = { 0, 5000, (uintptr_t)thread, 1 };
	uintptr_t entry = (uintptr_t)&stack[40];

	publish_3_13_without_gil();
	start(0x30d);
	put(interpreter, layout.gil.at, (uintptr_t)gil, 8);
	put(&frames[1][8], layout.frame.previous, entry, 8);
	((char *)entry)[layout.frame.owner] = BY_INTERPRETER;
	CHECK(read_frames(stack), ==, PYTHON_READ);
	CHECK(unwinder.python.read, ==, 2);
	CHECK(is_frame(0, "outer", &stack[40]));
	CHECK(is_frame(1, "inner", &stack[40]));
	CHECK(gil_is(PYTHON_GIL_NONE));
	gil[0] = 1;
	CHECK(gil_is(PYTHON_GIL_HELD));
	/* Freed: in its first word is a link, as an owner's number would be. */
	put(codes[0], 0, (uintptr_t)codes[1], 8);
	put(codes[0], layout.object.local, 0, 4);
	put(codes[0], layout.object.shared, 3, 8);
	CHECK(read_frames(stack), ==, PYTHON_TORN);
	put(codes[0], layout.object.shared, 4 + 3, 8);
	CHECK(read_frames(stack), ==, PYTHON_READ);
	/* Of more than one's own references another one gave some back. */
	put(codes[0], layout.object.shared, (uint64_t)-4, 8);
	put(codes[0], layout.object.local, 2, 4);
	CHECK(read_frames(stack), ==, PYTHON_READ);
	finish();
}

/* As the headers of 3.14.10 have them without GIL; of the interpreter's and the
   runtime's states as 3.13's, which are smaller. */
static void publish_3_14_without_gil(void)
{
	static const struct published words[] = {
		{ 2, 1 },   { 5, 632 },  { 6, 1000 }, { 8, 0 },    { 9, 16 },
		{ 15, 24 }, { 16, 760 }, { 18, 784 }, { 19, 776 }, { 22, 832 },
		{ 24, 8 },  { 26, 72 },  { 27, 152 }, { 29, 232 }, { 31, 88 },
		{ 32, 8 },  { 33, 0 },   { 34, 56 },  { 35, 80 },  { 36, 78 },
		{ 38, 72 }, { 39, 240 }, { 40, 128 }, { 42, 144 }, { 43, 152 },
		{ 44, 84 }, { 45, 68 },  { 46, 112 }, { 48, 232 }, { 49, 224 },
		{ 50, 32 }, { 51, 24 },  { 74, 56 },  { 75, 32 },  { 76, 48 },
		{ 77, 80 }, { 78, 48 },  { 79, 32 },  { 80, 56 },
	};

	publish(words, sizeof(words) / sizeof(*words));
}

/* The same of 3.15.2. */
static void publish_3_15_without_gil(void)
{
	static const struct published words[] = {
		{ 2, 1 },   { 5, 632 },  { 6, 1000 }, { 8, 0 },    { 9, 16 },
		{ 15, 24 }, { 16, 760 }, { 18, 784 }, { 19, 776 }, { 22, 888 },
		{ 24, 8 },  { 26, 72 },  { 30, 176 }, { 32, 256 }, { 39, 88 },
		{ 40, 8 },  { 41, 0 },   { 42, 56 },  { 43, 80 },  { 44, 78 },
		{ 46, 72 }, { 47, 240 }, { 48, 128 }, { 50, 144 }, { 51, 152 },
		{ 52, 84 }, { 53, 68 },  { 54, 112 }, { 56, 232 }, { 57, 224 },
		{ 58, 32 }, { 59, 24 },  { 86, 56 },  { 87, 32 },  { 88, 48 },
		{ 89, 80 }, { 90, 48 },  { 91, 32 },  { 92, 56 },
	};

	publish(words, sizeof(words) / sizeof(*words));
}

/* From 3.14 on a thread has a copy of the bytecode, or runs that of all; the
   frame says which. */
static void runs_its_own_bytecode(uint16_t version)
{
	uint64_t stack[WORDS] = { 0 };
	uint64_t own[8] = { 0 }, others[8] = { 0 };
	uint64_t copies[] = { 3, (uintptr_t)codes[0] + 232, (uintptr_t)others,
			      (uintptr_t)own };
	uint64_t *frame = &frames[0][8];

	start(version);
	put(&frames[1][8], layout.frame.previous, (uintptr_t)&stack[40], 8);
	put(frame, layout.frame.code, (uintptr_t)codes[0] | 1, 8);
	((char *)&stack[40])[layout.frame.owner] = BY_INTERPRETER;
	put(codes[0], layout.code.copies, (uintptr_t)copies, 8);
	CHECK(read_frames(stack), ==, PYTHON_READ);
	CHECK(unwinder.python.read, ==, 2);
	CHECK(is_frame(0, "outer", &stack[40]));
	CHECK(is_frame(1, "inner", &stack[40]));
	put(frame, layout.frame.copy, 2, 4);
	put(frame, layout.frame.instr, (uintptr_t)own + 4, 8);
	CHECK(read_frames(stack), ==, PYTHON_READ);
	CHECK(is_frame(1, "inner", &stack[40]));
	/* Entered by the copy of all: it has the instruction. */
	put(frame, layout.frame.instr, (uintptr_t)copies[1] + 4, 8);
	CHECK(read_frames(stack), ==, PYTHON_READ);
	CHECK(is_frame(1, "inner", &stack[40]));
	put(frame, layout.frame.instr, (uintptr_t)others + 4, 8);
	CHECK(read_frames(stack), ==, PYTHON_TORN);
	put(frame, layout.frame.copy, 1, 4);
	CHECK(read_frames(stack), ==, PYTHON_READ);
	put(frame, layout.frame.copy, 1 << 19, 4);
	CHECK(read_frames(stack), ==, PYTHON_TORN);
	put(codes[0], layout.code.copies, 8, 8);
	CHECK(read_frames(stack), ==, PYTHON_TORN);
	finish();
}

TEST(bytecode_of_threads_of_3_14)
{
	publish_3_14_without_gil();
	runs_its_own_bytecode(0x30e);
}

TEST(bytecode_of_threads_of_3_15)
{
	publish_3_15_without_gil();
	runs_its_own_bytecode(0x30f);
}

/* What is not where it is known to be. */
TEST(others_without_gil_are_not_known)
{
	struct python_layout to;

	publish_3_13_without_gil();
	CHECK(python_layout_choose(&to, runtime, 0x30d));
	runtime[68] = 56; /* beyond what is read of a text */
	CHECK(!python_layout_choose(&to, runtime, 0x30d));
	runtime[68] = 48;
	runtime[44] = 48;
	CHECK(!python_layout_choose(&to, runtime, 0x30d));
	publish_3_14_without_gil();
	CHECK(python_layout_choose(&to, runtime, 0x30e));
	runtime[49] = 0; /* no bytecode of threads */
	CHECK(!python_layout_choose(&to, runtime, 0x30e));
	publish_3_15();
	runtime[2] = 0;
	CHECK(python_layout_choose(&to, runtime, 0x30f));
	runtime[54] = 100; /* its locals follow something else */
	CHECK(!python_layout_choose(&to, runtime, 0x30f));
}

/* What the first object is called now. */
static const char *called(struct python_name *name)
{
	uintptr_t code = (uintptr_t)codes[0];
	struct python_place at = { code, code + layout.code.bytes + 4, 0, true,
				   false };
	static char room[PYTHON_ROOM];

	safe_read_forget(&unwinder.reader);
	CHECK(python_code_name(&layout, &unwinder.reader, &at, room, name), ==,
	      PYTHON_CODE_NAMED);
	return name_of(name->index);
}

static bool is_believed(int i)
{
	uintptr_t code = (uintptr_t)codes[i];
	struct python_name name;

	return python_code_believed(&layout, code, code + layout.code.bytes + 4,
				    &name);
}

/* A function's, which is believed as long as no other one is found there. */
TEST(code_in_the_place_of_another)
{
	struct python_name first, name;
	uint64_t more[WORDS] = { 0 };

	start(0x30b);
	put(codes[0], layout.code.flags, 1, 4);
	CHECK(!is_believed(0));
	CHECK(called(&first), ==, "inner");
	CHECK(is_believed(0));
	put(codes[0], layout.code.lines, (uintptr_t)more, 8);
	make_text(0, "INNER");
	CHECK(called(&name), ==, "INNER");
	CHECK(name.changes && !name.units);
	CHECK(!is_believed(0));
	/* The same addresses: its name is looked at now. */
	make_text(0, "other");
	CHECK(called(&name), ==, "other");
	CHECK(name.changes);
	/* What says the same has the same name. */
	make_text(0, "inner");
	CHECK(called(&name), ==, "inner");
	CHECK(name.index, ==, first.index);
	finish();
}

/* A version tells apart what nothing else does. */
TEST(versions_of_code)
{
	struct python_name name;

	publish_3_15();
	start(0x30f);
	put(codes[0], layout.code.version, 5, 4);
	CHECK(called(&name), ==, "inner");
	CHECK(!name.changes);
	make_text(0, "INNER");
	CHECK(called(&name), ==, "inner");
	put(codes[0], layout.code.version, 6, 4);
	CHECK(called(&name), ==, "INNER");
	CHECK(name.changes);
	finish();
}

/* The memo is of a sample whose last function was that one, at 4 + `moved`. */
static const char *sampled(const uint64_t *stack, uint32_t version,
			   const char *name, uint32_t moved, bool afresh)
{
	struct python_frames *p = &unwinder.python;

	make_text(0, name);
	put(codes[0], layout.code.version, version, 4);
	put(&frames[0][8], layout.frame.instr,
	    (uintptr_t)codes[0] + layout.code.bytes + 4 + moved, 8);
	CHECK(read_again(stack, afresh), ==, PYTHON_READ);
	CHECK(p->read, ==, 2);
	python_frames_keep(p);
	return name_of(python_frame_memo(p, 1)->name.index);
}

static void start_3_15(uint64_t *stack)
{
	publish_3_15();
	start(0x30f);
	put(&frames[1][8], layout.frame.previous, (uintptr_t)&stack[40], 8);
	((char *)&stack[40])[layout.frame.owner] = BY_INTERPRETER;
}

/* At the same instruction as before, where the object has changed once. */
TEST(another_function_in_the_same_frame)
{
	uint64_t stack[WORDS] = { 0 };

	start_3_15(stack);
	CHECK(sampled(stack, 1, "first", 0, true), ==, "first");
	CHECK(sampled(stack, 2, "other", 0, true), ==, "other");
	CHECK(sampled(stack, 3, "third", 0, false), ==, "third");
	finish();
}

/* At another instruction a function is believed, until another is found. */
TEST(a_function_that_moved)
{
	uint64_t stack[WORDS] = { 0 };
	uint32_t believed = 0;

	start_3_15(stack);
	put(codes[0], layout.code.flags, 1, 4);
	put(codes[1], layout.code.flags, 1, 4);
	CHECK(sampled(stack, 1, "first", 0, true), ==, "first");
	CHECK(is_believed(0) && is_believed(1));
	for (uint32_t i = 1; i <= 256; i++)
		sampled(stack, 1, "first", i % 2 * 2, false);
	while (!strcmp(
		sampled(stack, 2, "other", (believed + 1) % 2 * 2, false),
		"first"))
		believed++;
	CHECK(believed, ==, 15);
	CHECK(!is_believed(1));
	CHECK(sampled(stack, 3, "third", 4, false), ==, "third");
	finish();
}

static uint64_t identity(void)
{
	return python_code_identity(&layout, (uintptr_t)codes[0]);
}

/* By the hash of its name, by what that says, or by a number of its own. */
TEST(code_at_the_same_address)
{
	const uint32_t hash = 8; /* behind the size of a name */
	uint64_t before;

	start(0x30b);
	put(texts[0], layout.object.size + hash, 17, 8);
	before = identity();
	CHECK(before);
	CHECK(identity(), ==, before);
	put(texts[0], layout.object.size + hash, 18, 8);
	CHECK(identity(), !=, before);
	put(texts[0], layout.object.size + hash, UINT64_MAX, 8);
	before = identity();
	make_text(0, "other");
	CHECK(identity(), !=, before);
	put(codes[0], layout.code.lines, (uintptr_t)&lines[1], 8);
	before = identity();
	put(codes[0], layout.code.lines, (uintptr_t)&lines[0], 8);
	CHECK(identity(), !=, before);
	make_interpreter(0x30c);
	put(codes[0], layout.code.version, 41, 4);
	CHECK(identity(), ==, 41);
	finish();
}

/* A frame of C's that runs functions: the last of them, and who called it. */
static void run_by(uint64_t *cframe, uintptr_t last, const uint64_t *caller)
{
	put(cframe, layout.cframe.current, last, 8);
	put(cframe, layout.cframe.previous, (uintptr_t)caller, 8);
	put(thread, layout.thread.frame, (uintptr_t)cframe, 8);
}

/* What is as it was is not read again, but for where C runs it. */
TEST(the_same_frames_of_3_11)
{
	uint64_t stack[WORDS] = { 0 };
	struct python_frames *p = &unwinder.python;

	start(0x30b);
	((char *)frame_at(1))[layout.frame.is_entry] = 1;
	run_by(&stack[30], 0, NULL);
	run_by(&stack[20], frame_at(0), &stack[30]);
	CHECK(read_again(stack, false), ==, PYTHON_READ);
	CHECK(p->read, ==, 2);
	python_frames_keep(p);
	CHECK(read_again(stack, false), ==, PYTHON_READ);
	CHECK(p->same, ==, 2);
	CHECK(p->now == p->memo);
	CHECK(is_frame(1, "inner", &stack[20]));
	python_frames_keep(p);
	run_by(&stack[10], frame_at(0), &stack[30]);
	CHECK(read_again(stack, false), ==, PYTHON_READ);
	CHECK(!p->same);
	CHECK(p->now == p->fresh);
	CHECK(is_frame(1, "inner", &stack[10]));
	python_frames_keep(p);
	/* A frame of C's more, which runs the last. */
	((char *)frame_at(0))[layout.frame.is_entry] = 1;
	run_by(&stack[20], frame_at(1), &stack[30]);
	run_by(&stack[5], frame_at(0), &stack[20]);
	CHECK(read_again(stack, false), ==, PYTHON_READ);
	CHECK(is_frame(0, "outer", &stack[20]));
	CHECK(is_frame(1, "inner", &stack[5]));
	finish();
}

/* What is nearer to the root than frames that are kept is not read: no end. */
TEST(deep_recursion_of_3_11)
{
	uint64_t stack[WORDS] = { 0 };
	struct python_frames *p = &unwinder.python;

	start(0x30b);
	make_frame(1, 1, frame_at(1));
	run_by(&stack[30], 0, NULL);
	run_by(&stack[20], frame_at(0), &stack[30]);
	CHECK(read_again(stack, false), ==, PYTHON_READ);
	CHECK(p->read, ==, MOST);
	CHECK(p->cut && is_frame(MOST - 1, "inner", &stack[20]));
	CHECK(is_frame(0, "outer", &stack[20]));
	finish();
}

enum {
	FRAME_WORDS = 9 + 3 + 4 /* of a function with 3 locals, 4 values */
};

/* One on the thread's stack of frames; returns what lies behind it. */
static uint64_t *push(uint64_t *at, int code, const uint64_t *caller,
		      bool entry)
{
	put(at, layout.frame.previous, (uintptr_t)caller, 8);
	put(at, layout.frame.code, (uintptr_t)codes[code], 8);
	put(at, layout.frame.instr,
	    (uintptr_t)codes[code] + layout.code.bytes + 4, 8);
	put(at, layout.frame.owner, 0, 1);
	if (layout.frame.is_entry)
		put(at, layout.frame.is_entry, entry, 1);
	put(codes[code], layout.code.first - 4, 4, 4);
	put(codes[code], layout.code.first + 4, 3, 4);
	return at + FRAME_WORDS;
}

/*
 * What is left of one that has returned lies behind those that have not: it has
 * a caller there, and is in the other piece's way.  Nor is what another frame
 * of C's runs, or a generator calls, below the same one.
 */
TEST(deep_recursion_of_3_11_has_its_root)
{
	uint64_t stack[WORDS] = { 0 };
	static uint64_t first[WORDS], last[WORDS];
	struct python_frames *p = &unwinder.python;
	uint64_t *outer = &first[4], *inner, *left;

	start(0x30b);
	make_frame(1, 1, frame_at(1));
	put(thread, layout.thread.chunk, (uintptr_t)last, 8);
	last[0] = (uintptr_t)first;
	inner = push(outer, 1, NULL, true);
	left = push(inner, 0, outer, false);
	push(left, 0, inner, false);
	first[2] = (uint64_t)(left - first - 3);
	run_by(&stack[30], 0, NULL);
	run_by(&stack[20], frame_at(0), &stack[30]);
	for (int i = 0; i < 2; i++) {
		CHECK(read_again(stack, false) == PYTHON_READ);
		CHECK(p->cut && p->seam == 2 && p->read > MOST / 2);
		CHECK(is_frame(0, "outer", &stack[20]));
		CHECK(is_frame(1, "inner", &stack[20]));
		CHECK(is_frame(2, "outer", &stack[20]));
		CHECK(!p->same == !i);
		python_frames_keep(p);
	}
	push(inner, 0, (uint64_t *)frame_at(2), false);
	CHECK(read_again(stack, false) == PYTHON_READ && p->seam == 1);
	run_by(&stack[20], (uintptr_t)inner, &stack[30]);
	run_by(&stack[10], frame_at(0), &stack[20]);
	CHECK(read_again(stack, false) == PYTHON_READ && p->cut && !p->seam);
	finish();
}

/* Later ones have a frame on the C stack that is the mark, which is guessed. */
TEST(deep_recursion_of_3_12_has_its_root)
{
	uint64_t stack[WORDS] = { 0 };
	static uint64_t first[WORDS], last[WORDS];
	struct python_frames *p = &unwinder.python;
	uint64_t *inner;

	start(0x30c);
	make_frame(1, 1, frame_at(1));
	put(thread, layout.thread.chunk, (uintptr_t)last, 8);
	last[0] = (uintptr_t)first;
	((char *)&stack[40])[layout.frame.owner] = BY_INTERPRETER;
	put(codes[0], layout.code.first + 8, FRAME_WORDS, 4);
	put(codes[1], layout.code.first + 8, FRAME_WORDS, 4);
	inner = push(&first[4], 1, &stack[40], false);
	first[2] = (uint64_t)(push(inner, 0, &first[4], false) - first - 3);
	run_by(&stack[20], frame_at(0), NULL);
	CHECK(read_again(stack, false) == PYTHON_READ);
	CHECK(p->cut && p->guessed && p->seam == 2 && p->read == MOST + 2);
	CHECK(is_frame(0, "outer", &stack[40]));
	CHECK(is_frame(1, "inner", &stack[40]));
	CHECK(is_frame(2, "outer", &stack[40]));
	p->whole = true; /* there is none to be read */
	CHECK(read_again(stack, false) == PYTHON_TORN);
	finish();
}

/* A module's, which runs once, is not. */
TEST(a_module_that_moved)
{
	uint64_t stack[WORDS] = { 0 };

	start_3_15(stack);
	for (uint32_t i = 0; i < 3; i++)
		sampled(stack, 1, "first", 2 * i, false);
	CHECK(sampled(stack, 2, "other", 0, false), ==, "other");
	CHECK(!is_believed(0));
	finish();
}

/* 3.9 has no marks: its loop is known by its place, here such a section. */
extern const char __start_made_loop[], __stop_made_loop[];
extern const char __start_made_between[], __stop_made_between[];

static volatile int sink;
static char path[100]; /* from the leaf, of what is of interest */

/* What a sample here finds; what it is partial for, or -1. */
__attribute__((noinline)) static int here(void)
{
	const struct live_node *node;
	struct loaded_object self;
	ucontext_t context;
	const mcontext_t *m = &context.uc_mcontext;
	struct cfi_frame top;
	int why;

	CHECK(loaded_object_find(&self, here) && !getcontext(&context));
	top = (struct cfi_frame){ registers_pc(m), registers_sp(m),
				  registers_fp(m) };
	node = arena_at(tree.arena,
			unwind_path(&unwinder, &tree, &top, false, m, &why));
	*path = 0;
	for (; node->kind != LIVE_NODE_ROOT;
	     node = arena_at(tree.arena, node->parent)) {
		const char *at = (const char *)self.map->l_addr + node->offset;

		if (node->kind == LIVE_NODE_PYTHON)
			strcat(strcat(path, name_of(node->owner)), " ");
		else if (at >= __start_made_between && at < __stop_made_between)
			strcat(path, "between ");
		else if (at >= __start_made_loop && at < __stop_made_loop)
			strcat(path, "loop ");
	}
	return why;
}

static void (*what)(void);

__attribute__((noinline, section("made_between"))) static void
between(void (*next)(int), int n)
{
	next(n);
	sink++;
}

__attribute__((noinline, section("made_loop"))) static void loop(int n)
{
	if (n)
		between(loop, n - 1);
	else
		what();
	sink++;
}

static void start_3_9(void)
{
	struct loaded_object self;

	start(0x309);
	CHECK(loaded_object_find(&self, here));
	layout.map = self.map;
	layout.loop = (uintptr_t)__start_made_loop;
	layout.loop_size = (uintptr_t)(__stop_made_loop - __start_made_loop);
}

static void running(int first)
{
	put(thread, layout.thread.frame, frame_at(first), 8);
}

static void all_run(void)
{
	CHECK(here(), ==, -1);
	CHECK(path, ==, "inner between outer ");
}

TEST(one_loop_for_each_function_of_3_9)
{
	start_3_9();
	what = all_run;
	loop(1);
	loop(1);
	finish();
}

/* The last loop's function has been left, or has not begun. */
static void one_less(void)
{
	running(0);
	CHECK(here(), ==, -1);
	CHECK(path, ==, "inner between outer ");
	running(1);
	CHECK(here(), ==, -1);
	CHECK(path, ==, "between outer ");
	CHECK(here(), ==, -1);
	CHECK(path, ==, "between outer ");
	unwind_forget(&unwinder);
	CHECK(here(), ==, LOSS_PARTIAL_PYTHON);
	CHECK(path, ==, "loop between loop ");
	running(0);
	CHECK(here(), ==, -1);
	CHECK(path, ==, "inner between outer ");
	running(2); /* as where coroutines have stacks of their own */
	CHECK(here(), ==, LOSS_PARTIAL_PYTHON);
}

TEST(a_loop_without_function_of_3_9)
{
	start_3_9();
	make_frame(2, 1, 0);
	what = one_less;
	loop(1);
	finish();
}

/* More functions than loops, or two loops more: it is not told which. */
static void none_known(void)
{
	CHECK(here(), ==, LOSS_PARTIAL_PYTHON);
}

TEST(another_number_of_loops_of_3_9)
{
	start_3_9();
	what = none_known;
	loop(0);
	loop(3);
	finish();
}

TEST(lines_by_version)
{
	/* Of 4, 6, 2 bytes: first + 1, + 3, + 2. */
	static const uint8_t before[] = { 0, 1, 4, 2, 6, 255 };
	/* The same, and 2 of no line. */
	static const uint8_t of_3_10[] = { 4, 1, 6, 2, 2, 128, 2, 255 };

	for (int64_t at = 0; at < 12; at += 2) {
		uint32_t line = at < 4 ? 11 : at < 10 ? 13 : 12;

		CHECK(python_line(0x309, before, 6, 10, at), ==, line);
		CHECK(python_line(0x30a, of_3_10, 8, 10, at < 10 ? at : at + 2),
		      ==, line);
	}
	CHECK(python_line(0x30a, of_3_10, 8, 10, 10), ==, 0);
	CHECK(python_line(0x30a, of_3_10, 8, 10, 14), ==, 10);
	CHECK(python_line(0x309, before, 6, 10, -1), ==, 10);
	CHECK(python_line(0x30a, of_3_10, 8, 10, -2), ==, 10);
}
