/* SPDX-License-Identifier: BSD-3-Clause */
/* python-gil.c - see python-gil.h. */
#include "collect/python/python-gil.h"

#include <stddef.h>

#include "arch/registers.h"

/*
 * struct _gil_runtime_state, of 3.9 to 3.15, and the word before it, which
 * belongs to it in builds without GIL: those may use one nevertheless.
 */
struct gil {
	int enabled;
	unsigned long interval;
	uintptr_t last_holder;
	int locked;
};

enum {
	GIL_SIZE = 208 /* with its conditions and mutexes */
};

/* That of the first interpreter is a part of the runtime's state. */
SIGSAFE static bool read_gil(struct safe_read *reader, uintptr_t at,
			     struct gil *to)
{
	const struct python_layout *layout = python_layout;
	uintptr_t from = at - offsetof(struct gil, interval);

	if (at < layout->runtime || at > layout->runtime_end - GIL_SIZE) {
		safe_read_forget(reader);
		return safe_read_copy(reader, to, from, sizeof(*to));
	}
	*to = *(const volatile struct gil *)from;
	return true;
}

SIGSAFE enum python_gil python_gil_now(const struct python_frames *p,
				       struct safe_read *reader,
				       const mcontext_t *registers)
{
	const struct python_state *s = python_state(p);
	uintptr_t argument = registers_argument(registers);
	struct gil gil;

	if (!p->known || !s->gil || !read_gil(reader, s->gil, &gil) ||
	    (python_layout->gil.before && !gil.enabled))
		return PYTHON_GIL_NONE;
	if (gil.locked == 1 && gil.last_holder == s->thread)
		return PYTHON_GIL_HELD;
	return argument >= s->gil && argument < s->gil + GIL_SIZE
		       ? PYTHON_GIL_WAITED
		       : PYTHON_GIL_WITHOUT;
}

SIGSAFE bool python_gil_has(const struct python_frames *p, const void *lock)
{
	uintptr_t gil = python_state(p)->gil;

	return gil && (uintptr_t)lock - gil < GIL_SIZE;
}

SIGSAFE uintptr_t python_gil_find(struct safe_read *reader,
				  uintptr_t interpreter)
{
	const struct python_layout *layout = python_layout;
	uintptr_t gil = 0;

	if (layout->gil.of_runtime)
		return layout->runtime + layout->gil.at;
	if (!layout->gil.at ||
	    !safe_read_copy(reader, &gil, interpreter + layout->gil.at,
			    sizeof(gil)))
		return 0;
	return gil ? gil + layout->gil.before : 0;
}
