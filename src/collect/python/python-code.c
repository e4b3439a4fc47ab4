/* SPDX-License-Identifier: BSD-3-Clause */
/* python-code.c - a table of code objects, read without a lock. */
#include "collect/python/python-code.h"

#include "base/sys.h"
#include "collect/registry.h"

enum {
	SLOTS = 1 << 13,
	PROBES = 8,
	REFERENCES_AT = 0, /* of an object, with a GIL */
	CODE_MOST = 1 << 28,
};

struct code_slot {
	uint32_t version; /* odd: it is being written */
	uint32_t generation, name;
	uintptr_t code, qualname, lines;
};

/* Mutable: what was named; one process's. */
static struct code_slot slots[SLOTS];

struct code_head { /* what is read of a code object */
	uintptr_t code, file, qualname, lines;
	uint32_t first;
};

SIGSAFE static uint64_t word_at(const char *bytes, uint32_t offset)
{
	uint64_t word;

	__builtin_memcpy(&word, bytes + offset, sizeof(word));
	return word;
}

/* Of so many units: is it the begin of one, or of what is before the first? */
SIGSAFE static bool is_within_code(uint64_t size, uintptr_t offset)
{
	return size <= CODE_MOST && offset + 2 < 2 * size + 2 &&
	       offset % 2 == 0;
}

SIGSAFE static bool read_code(struct safe_read *reader,
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
	uint64_t references = word_at(head, REFERENCES_AT);
	int64_t shared = (int64_t)word_at(head, layout->object.shared);

	if (!layout->object.shared)
		return (uint32_t)references && !(references >> 32 & 0xffff);
	return (uint32_t)word_at(head, layout->object.local) + (shared >> 2) >
	       0;
}

SIGSAFE static bool read_code_head(const struct python_layout *layout,
				   struct safe_read *reader,
				   const struct python_place *at,
				   struct code_head *to)
{
	uintptr_t code = at->code, bytes = code + layout->code.bytes;
	char head[PYTHON_CODE_MOST];

	if (code % sizeof(code) ||
	    !read_code(reader, at, head, layout->code.bytes))
		return false;
	if (!is_referenced(layout, head) ||
	    word_at(head, layout->object.type) != layout->code_type ||
	    (!layout->code.apart &&
	     !is_within_code(word_at(head, layout->object.size),
			     at->instr - bytes)))
		return false;
	*to = (struct code_head){
		.code = code,
		.file = word_at(head, layout->code.file),
		.qualname = word_at(head, layout->code.name),
		.lines = word_at(head, layout->code.lines),
		.first = (uint32_t)word_at(head, layout->code.first),
	};
	return true;
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
	count = word_at(head, layout->object.size);
	state = (uint32_t)word_at(head, layout->text.state);
	width = state >> 2 & 7;
	if (!(state >> 5 & 1) || !width || width > 4)
		return 0;
	if (!(state >> 6 & 1))
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

SIGSAFE static bool add_code(const struct python_layout *layout,
			     struct safe_read *reader,
			     const struct code_head *head, char *room,
			     uint32_t *name)
{
	struct registry_function f = {
		.name = room,
		.file = room + PYTHON_TEXT,
		.lines = room + 2 * PYTHON_TEXT,
		.first = head->first,
	};

	f.name_size = read_text(layout, reader, head->qualname, room);
	f.file_size = read_text(layout, reader, head->file, room + PYTHON_TEXT);
	f.lines_size =
		read_lines(layout, reader, head->lines, room + 2 * PYTHON_TEXT);
	return f.name_size && registry_function(&f, name);
}

SIGSAFE static struct code_slot *slot_near(uintptr_t code, uint32_t i)
{
	return &slots[((code * 0x9e3779b97f4a7c15u >> 40) + i) % SLOTS];
}

SIGSAFE static bool is_same_code(const struct code_slot *slot,
				 const struct code_head *head)
{
	return slot->code == head->code && slot->qualname == head->qualname &&
	       slot->lines == head->lines &&
	       slot->generation == registry_generation();
}

/* The name of a slot that nobody wrote to meanwhile. */
SIGSAFE static bool find_code(const struct code_head *head, uint32_t *name)
{
	for (uint32_t i = 0; i < PROBES; i++) {
		const struct code_slot *slot = slot_near(head->code, i);
		uint32_t version =
			__atomic_load_n(&slot->version, __ATOMIC_ACQUIRE);
		bool same = is_same_code(slot, head);

		*name = slot->name;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (same && version % 2 == 0 &&
		    __atomic_load_n(&slot->version, __ATOMIC_RELAXED) ==
			    version)
			return true;
	}
	return false;
}

/* Where it is to be: in the place of what was at its address, or nowhere. */
SIGSAFE static struct code_slot *choose_slot(const struct code_head *head)
{
	struct code_slot *empty = NULL;

	for (uint32_t i = 0; i < PROBES; i++) {
		struct code_slot *slot = slot_near(head->code, i);

		if (slot->code == head->code)
			return slot;
		if (!empty &&
		    (!slot->code || slot->generation != registry_generation()))
			empty = slot;
	}
	return empty ? empty
		     : slot_near(head->code,
				 (uint32_t)(head->lines >> 4) % PROBES);
}

SIGSAFE enum python_code python_code_name(const struct python_layout *layout,
					  struct safe_read *reader,
					  const struct python_place *at,
					  char *room, uint32_t *name)
{
	struct code_slot *slot;
	struct code_head head;
	uint32_t version;
	bool added;

	if (!read_code_head(layout, reader, at, &head))
		return PYTHON_CODE_NONE;
	if (find_code(&head, name))
		return PYTHON_CODE_NAMED;
	slot = choose_slot(&head);
	version = __atomic_load_n(&slot->version, __ATOMIC_RELAXED);
	if (version % 2 || !__atomic_compare_exchange_n(
				   &slot->version, &version, version + 1, false,
				   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return PYTHON_CODE_BUSY;
	added = add_code(layout, reader, &head, room, name);
	slot->code = added ? head.code : 0;
	slot->qualname = head.qualname;
	slot->lines = head.lines;
	slot->name = *name;
	slot->generation = registry_generation();
	__atomic_store_n(&slot->version, version + 2, __ATOMIC_RELEASE);
	return added ? PYTHON_CODE_NAMED : PYTHON_CODE_BUSY;
}
