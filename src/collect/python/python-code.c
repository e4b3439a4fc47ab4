/* SPDX-License-Identifier: BSD-3-Clause */
/* python-code.c - a table of code objects, read without a lock. */
#include "collect/python/python-code.h"

#include "base/sys.h"
#include "collect/registry.h"

enum {
	SLOTS = 1 << 14,
	PROBES = 8,
	REFERENCES_AT = 0, /* of an object, with a GIL */
	CODE_MOST = 1 << 28,
	COPIES_MOST = 1 << 20,
	IDENTITY_TEXT = 64, /* bytes of a name that distinguish it */
	COMPACT = 1 << 3,
	ASCII = 1 << 4,
	OPTIMIZED = 1, /* a function's: a module's, or a class's, runs once */
};

/* An object, or what objects say: an odd number in place of an address. */
struct code_key {
	uintptr_t code, qualname, lines;
	uint32_t version; /* no two have the same; 0: it has none */
};

struct code_slot {
	uint32_t locked; /* odd: it is being written */
	uint32_t generation;
	struct code_key key;
	struct python_name name;
	uint64_t text; /* what its name says; 0: this is not looked at */
};

/* Mutable: what was named; one process's.  Mapped where there is a Python. */
static struct code_slot *slots;

/* Mutable: code was found in the place of a function's that was believed. */
static bool is_made_again;

struct code_head { /* what is read of a code object */
	struct code_key key;
	uintptr_t file;
	uint32_t first, flags;
	uint64_t units;  /* of its bytecode, … */
	uintptr_t begin; /* … of which that has the instruction */
};

SIGSAFE static uint64_t word_of_bytes(const char *bytes, uint32_t offset)
{
	uint64_t word;

	__builtin_memcpy(&word, bytes + offset, sizeof(word));
	return word;
}

SIGSAFE static bool read_code_object(struct safe_read *reader,
				     const struct python_place *at, char *to,
				     size_t size)
{
	if (at->alive) {
		__builtin_memcpy(to, (const void *)at->code, size);
		return true;
	}
	return (at->alone ? safe_read_alone : safe_read_copy)(reader, to,
							      at->code, size);
}

/*
 * A freed object has a link, or nothing, where its references were: 32 bits,
 * above which are 16 that are 0 and, from 3.14 on, flags.  Without GIL it has
 * none of either kind: the other one's number stands above two flags.
 */
SIGSAFE static bool is_referenced(const struct python_layout *layout,
				  const char *head)
{
	uint64_t references = word_of_bytes(head, REFERENCES_AT);
	int64_t shared = (int64_t)word_of_bytes(head, layout->object.shared);

	if (!layout->object.shared)
		return (uint32_t)references && !(references >> 32 & 0xffff);
	return (uint32_t)word_of_bytes(head, layout->object.local) +
		       (shared >> 2) >
	       0;
}

/*
 * The bytecode behind the object, or the thread's own copy of it, which may be
 * another one by now: it has to have the instruction.
 */
SIGSAFE static bool find_bytecode(const struct python_layout *layout,
				  struct safe_read *reader,
				  const struct python_place *at,
				  uintptr_t copies, struct code_head *head)
{
	uintptr_t entry = copies + sizeof(uint64_t) * ((uint32_t)at->copy + 1);

	head->begin = at->code + layout->code.bytes;
	if (layout->code.apart ||
	    python_code_has(head->units, at->instr - head->begin))
		return true;
	return copies && at->copy > 0 && at->copy < COPIES_MOST &&
	       safe_read_copy(reader, &head->begin, entry,
			      sizeof(head->begin)) &&
	       head->begin % 2 == 0 &&
	       python_code_has(head->units, at->instr - head->begin);
}

SIGSAFE static bool read_code_head(const struct python_layout *layout,
				   struct safe_read *reader,
				   const struct python_place *at,
				   struct code_head *to)
{
	uintptr_t code = at->code, copies = 0;
	char head[PYTHON_CODE_MOST];
	uint64_t units;

	if (code % sizeof(code) ||
	    !read_code_object(reader, at, head, layout->code.bytes))
		return false;
	units = layout->code.apart ? 0
				   : word_of_bytes(head, layout->object.size);
	if (!is_referenced(layout, head) ||
	    word_of_bytes(head, layout->object.type) != layout->code_type ||
	    units > CODE_MOST)
		return false;
	*to = (struct code_head){
		.key = { .code = code,
			 .qualname = word_of_bytes(head, layout->code.name),
			 .lines = word_of_bytes(head, layout->code.lines) },
		.file = word_of_bytes(head, layout->code.file),
		.first = (uint32_t)word_of_bytes(head, layout->code.first),
		.units = units,
	};
	if (layout->code.version)
		to->key.version =
			(uint32_t)word_of_bytes(head, layout->code.version);
	if (layout->code.flags)
		to->flags = (uint32_t)word_of_bytes(head, layout->code.flags);
	if (layout->code.copies)
		copies = word_of_bytes(head, layout->code.copies);
	return find_bytecode(layout, reader, at, copies, to);
}

SIGSAFE static uint32_t put_character(char *to, uint32_t c)
{
	uint32_t n = 0;

	if (c < 0x80) {
		to[n++] = (char)c;
		return n;
	}
	if (c < 0x800) {
		to[n++] = (char)(0xc0 | c >> 6);
	} else {
		if (c < 0x10000) {
			to[n++] = (char)(0xe0 | c >> 12);
		} else {
			to[n++] = (char)(0xf0 | (c >> 18 & 7));
			to[n++] = (char)(0x80 | (c >> 12 & 63));
		}
		to[n++] = (char)(0x80 | (c >> 6 & 63));
	}
	to[n++] = (char)(0x80 | (c & 63));
	return n;
}

/* As UTF-8, of the characters of 1, 2 or 4 bytes at `from`. */
SIGSAFE static uint32_t read_characters(struct safe_read *reader, char *to,
					uintptr_t from, uint64_t count,
					uint32_t width)
{
	uint32_t length = 0, c = 0;

	for (uint64_t i = 0; i < count && length + 4 < PYTHON_TEXT; i++) {
		if (!safe_read_copy(reader, &c, from + i * width, width))
			break;
		length += put_character(to + length, c);
	}
	return length;
}

/*
 * Its state behind what tells whether it is interned: two bits, or, without
 * GIL from 3.14 on, a byte that has two.
 */
SIGSAFE static uint32_t kind_of_string_state(uint32_t state)
{
	return state >> 2 & COMPACT ? state >> 2 : state >> 8;
}

/* A text object, compact as all names are; 0: it cannot be read. */
SIGSAFE static uint32_t read_text(const struct python_layout *layout,
				  struct safe_read *reader, uintptr_t text,
				  char *to)
{
	char head[PYTHON_TEXT_MOST];
	uint32_t state, width;
	uint64_t count;

	if (!safe_read_copy(reader, head, text, layout->text.ascii))
		return 0;
	count = word_of_bytes(head, layout->object.size);
	state = kind_of_string_state(
		(uint32_t)word_of_bytes(head, layout->text.state));
	width = state & 7;
	if (!(state & COMPACT) || !width || width > 4)
		return 0;
	if (!(state & ASCII))
		return read_characters(reader, to, text + layout->text.wide,
				       count, width);
	if (count > PYTHON_TEXT)
		count = PYTHON_TEXT;
	return safe_read_copy(reader, to, text + layout->text.ascii, count)
		       ? (uint32_t)count
		       : 0;
}

/* Of a table that is cut, or cannot be read, functions have their first line.
 */
SIGSAFE static uint32_t read_lines(const struct python_layout *layout,
				   struct safe_read *reader, uintptr_t bytes,
				   char *to)
{
	uint64_t size;

	if (!safe_read_copy(reader, &size, bytes + layout->object.size,
			    sizeof(size)))
		return 0;
	if (size > PYTHON_LINES)
		size = PYTHON_LINES;
	return safe_read_copy(reader, to, bytes + layout->bytes, size)
		       ? (uint32_t)size
		       : 0;
}

/* What bytes say, after others: an odd number. */
SIGSAFE static uint64_t hash_more_bytes(uint64_t hash, const char *bytes,
					uint32_t size)
{
	for (uint32_t i = 0; i < size; i += sizeof(uint64_t)) {
		uint32_t left = size - i;
		uint64_t word = 0;

		__builtin_memcpy(&word, bytes + i,
				 left < sizeof(word) ? left : sizeof(word));
		hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 29;
	}
	return (hash + size) * 2 + 1;
}

/* In whole words: the last one may have what was behind its end. */
SIGSAFE uint64_t python_text_identity(const struct python_layout *layout,
				      uintptr_t text)
{
	const uint64_t size =
		word_of_bytes((const char *)text, layout->object.size);
	const volatile uint64_t *word =
		(const volatile uint64_t *)(text + layout->text.ascii);
	uint64_t sum = size, factor = 0x9e3779b97f4a7c15u;

	for (uint64_t i = 0; i < size && i < IDENTITY_TEXT; i += sizeof(*word))
		sum += *word++ * (factor *= 0xbf58476d1ce4e5b9u);
	return sum;
}

bool python_code_ready(void)
{
	if (!slots)
		slots = sys_memory(SLOTS * sizeof(*slots));
	return slots;
}

void *python_code_exchange(void *names)
{
	void *before = slots;

	slots = names;
	return before;
}

SIGSAFE static struct code_slot *code_slot_near(uintptr_t code, uint32_t i)
{
	return &slots[((code * 0x9e3779b97f4a7c15u >> 40) + i) % SLOTS];
}

SIGSAFE static bool is_same_code(const struct code_key *a,
				 const struct code_key *b)
{
	return a->code == b->code && a->qualname == b->qualname &&
	       a->lines == b->lines && a->version == b->version;
}

/*
 * The name of a slot that nobody wrote to meanwhile: of that address, or of all
 * that the key has.
 */
SIGSAFE static bool find_code(uintptr_t code, const struct code_key *key,
			      struct python_name *name, uint64_t *text)
{
	for (uint32_t i = 0; i < PROBES; i++) {
		const struct code_slot *slot = code_slot_near(code, i);
		uint32_t locked =
			__atomic_load_n(&slot->locked, __ATOMIC_ACQUIRE);
		bool same = slot->key.code == code &&
			    slot->generation == registry_generation() &&
			    (!key || is_same_code(&slot->key, key));

		*name = slot->name;
		*text = slot->text;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (same && locked % 2 == 0 &&
		    __atomic_load_n(&slot->locked, __ATOMIC_RELAXED) == locked)
			return true;
	}
	return false;
}

/*
 * Where it is to be: in the place of what was at its address, or nowhere, but
 * for those that another thread writes to: it may have lost its core.
 */
SIGSAFE static struct code_slot *choose_code_slot(const struct code_key *key)
{
	struct code_slot *empty = NULL;

	for (uint32_t i = 0; i < PROBES; i++) {
		struct code_slot *slot = code_slot_near(key->code, i);

		if (__atomic_load_n(&slot->locked, __ATOMIC_RELAXED) % 2)
			continue;
		if (slot->key.code == key->code)
			return slot;
		if (!empty && (!slot->key.code ||
			       slot->generation != registry_generation()))
			empty = slot;
	}
	return empty ? empty
		     : code_slot_near(key->code,
				      (uint32_t)(key->lines >> 4) % PROBES);
}

/* NULL: another thread writes to it; then it is not kept. */
SIGSAFE static struct code_slot *lock_code_slot(const struct code_key *key)
{
	struct code_slot *slot = choose_code_slot(key);
	uint32_t locked = __atomic_load_n(&slot->locked, __ATOMIC_RELAXED);

	if (locked % 2 || !__atomic_compare_exchange_n(
				  &slot->locked, &locked, locked + 1, false,
				  __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return NULL;
	__atomic_thread_fence(__ATOMIC_RELEASE); /* what follows comes later */
	return slot;
}

SIGSAFE static void fill_code_slot(struct code_slot *slot,
				   const struct code_key *key,
				   const struct python_name *name,
				   uint64_t text)
{
	slot->key = *key;
	slot->name = *name;
	slot->text = text;
	slot->generation = registry_generation();
	__atomic_store_n(&slot->locked, slot->locked + 1, __ATOMIC_RELEASE);
}

/*
 * What is said is named once, however often code that says it is made; by two
 * threads at a time, twice.
 */
SIGSAFE static bool name_text(const struct registry_function *f, uint64_t says,
			      struct python_name *name)
{
	struct code_key key = { .code = says };
	struct code_slot *slot;
	uint64_t text;

	if (find_code(says, &key, name, &text))
		return true;
	*name = (struct python_name){ 0 };
	if (!registry_function(f, &name->index))
		return false;
	slot = lock_code_slot(&key);
	if (slot)
		fill_code_slot(slot, &key, name, 0);
	return true;
}

/* Of <string> and the like: made while the program runs, but for <frozen …>. */
SIGSAFE static bool
is_function_made_at_run_time(const struct registry_function *f)
{
	return f->file_size < 2 || (f->file[0] == '<' && f->file[1] != 'f');
}

/*
 * Was another one there, or may there be one soon?  Then its name is looked at
 * where nothing else tells them apart.
 */
SIGSAFE static void keep_code(const struct code_head *head, bool made,
			      struct python_name *name, uint64_t text)
{
	struct code_slot *slot = lock_code_slot(&head->key);

	if (!slot)
		return;
	if (slot->key.code == head->key.code &&
	    slot->generation == registry_generation())
		name->changes = slot->name.changes < PYTHON_CHANGES_MOST
					? slot->name.changes + 1
					: PYTHON_CHANGES_MOST;
	if (name->changes && slot->name.units)
		__atomic_store_n(&is_made_again, true, __ATOMIC_RELAXED);
	if (head->flags & OPTIMIZED && !made && !name->changes)
		name->units = (uint32_t)head->units;
	if (head->key.version || (!name->units && !name->changes))
		text = 0;
	fill_code_slot(slot, &head->key, name, text);
}

SIGSAFE static bool add_code(const struct python_layout *layout,
			     struct safe_read *reader,
			     const struct code_head *head, char *room,
			     struct python_name *name)
{
	struct registry_function f = {
		.name = room,
		.file = room + PYTHON_TEXT,
		.lines = room + 2 * PYTHON_TEXT,
		.first = head->first,
	};
	uint64_t text, says;

	f.name_size = read_text(layout, reader, head->key.qualname, room);
	f.file_size = read_text(layout, reader, head->file, room + PYTHON_TEXT);
	f.lines_size = read_lines(layout, reader, head->key.lines,
				  room + 2 * PYTHON_TEXT);
	text = hash_more_bytes(0, f.name, f.name_size);
	says = hash_more_bytes(text + f.first, f.file, f.file_size);
	says = hash_more_bytes(says, f.lines, f.lines_size);
	if (!f.name_size || !name_text(&f, says, name))
		return false;
	keep_code(head, is_function_made_at_run_time(&f), name, text);
	return true;
}

SIGSAFE static bool says_the_same(const struct python_layout *layout,
				  struct safe_read *reader,
				  const struct code_head *head, char *room,
				  uint64_t text)
{
	uint32_t size;

	if (!text)
		return true;
	size = read_text(layout, reader, head->key.qualname, room);
	return hash_more_bytes(0, room, size) == text;
}

SIGSAFE enum python_code python_code_name(const struct python_layout *layout,
					  struct safe_read *reader,
					  const struct python_place *at,
					  char *room, struct python_name *name)
{
	struct code_head head;
	uint64_t text;

	if (!read_code_head(layout, reader, at, &head))
		return PYTHON_CODE_NONE;
	if ((find_code(at->code, &head.key, name, &text) &&
	     says_the_same(layout, reader, &head, room, text)) ||
	    add_code(layout, reader, &head, room, name)) {
		name->begin = head.begin;
		return PYTHON_CODE_NAMED;
	}
	return PYTHON_CODE_BUSY;
}

SIGSAFE bool python_code_believed(const struct python_layout *layout,
				  uintptr_t code, uintptr_t instr,
				  struct python_name *name)
{
	uintptr_t begin = code + layout->code.bytes;
	uint64_t text;

	if (__atomic_load_n(&is_made_again, __ATOMIC_RELAXED) ||
	    !find_code(code, NULL, name, &text))
		return false;
	name->begin = begin;
	return name->units && python_code_has(name->units, instr - begin);
}
