/* SPDX-License-Identifier: BSD-3-Clause */
/* attach-python.c - see attach-python.h. */
#include "attach/attach-python.h"

#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/attach-record.h"
#include "base/str.h"
#include "collect/unwind/safe-read.h"
#include "collect/unwind/unwind.h"

enum {
	SAYS_WORDS = 128, /* of the runtime's state, that it says of itself */
	DYNAMIC_MOST = 128,
	CHAIN_MOST = 1024,
	HEADS_MOST = 64,     /* interpreters */
	SLICE_NS = 100000,   /* the least that there is */
	NOT_LOOKED_FOR = 65, /* times, so that a state is not now, either */
	THREADS_MOST = 4096, /* of one */
	PTHREAD_MOST = 1024, /* bytes of a thread's, in the C library, … */
	PTHREAD_STEP = 4     /* … that its number is among */
};

static bool read_word(uintptr_t at, uintptr_t *to)
{
	return safe_read_copy(NULL, to, at, sizeof(*to));
}

static uintptr_t word_at(uintptr_t at)
{
	uintptr_t word = 0;

	return read_word(at, &word) ? word : 0;
}

/*
 * Its symbols.
 */

struct dynamic_symbols {
	uintptr_t names, symbols, hash;
};

static bool find_dynamic_symbols(struct dynamic_symbols *to,
				 const struct foreign_module *m)
{
	ElfW(Dyn) entry;

	*to = (struct dynamic_symbols){ 0 };
	for (size_t i = 0; m->dynamic && i < DYNAMIC_MOST; i++) {
		uintptr_t at;

		if (!safe_read_copy(NULL, &entry,
				    m->dynamic + i * sizeof(entry),
				    sizeof(entry)) ||
		    entry.d_tag == DT_NULL)
			break;
		at = entry.d_un.d_ptr;
		at += at < m->base ? m->base : 0; /* not relocated */
		if (entry.d_tag == DT_STRTAB)
			to->names = at;
		else if (entry.d_tag == DT_SYMTAB)
			to->symbols = at;
		else if (entry.d_tag == DT_GNU_HASH)
			to->hash = at;
	}
	return to->names && to->symbols && to->hash;
}

static bool is_symbol(const struct dynamic_symbols *d, uint32_t i,
		      const char *name, ElfW(Sym) * to)
{
	char text[64];
	size_t size = strlen(name) + 1;

	return safe_read_copy(NULL, to, d->symbols + i * sizeof(*to),
			      sizeof(*to)) &&
	       to->st_shndx != SHN_UNDEF &&
	       safe_read_copy(NULL, text, d->names + to->st_name, size) &&
	       !memcmp(text, name, size);
}

/* By DT_GNU_HASH; false: it does not define it. */
static bool find_dynamic_symbol(const struct dynamic_symbols *d,
				const char *name, ElfW(Sym) * to)
{
	uint32_t head[4], hash = 5381, i = 0, chain;
	uintptr_t buckets;

	for (const char *c = name; *c; c++)
		hash = hash * 33 + (uint8_t)*c;
	if (!safe_read_copy(NULL, head, d->hash, sizeof(head)) || !head[0])
		return false;
	buckets = d->hash + sizeof(head) + head[2] * sizeof(ElfW(Addr));
	if (!safe_read_copy(NULL, &i, buckets + hash % head[0] * sizeof(i),
			    sizeof(i)) ||
	    i < head[1])
		return false;
	buckets += head[0] * sizeof(i);
	for (int n = 0; n < CHAIN_MOST; n++, i++) {
		if (!safe_read_copy(NULL, &chain,
				    buckets + (i - head[1]) * sizeof(chain),
				    sizeof(chain)))
			return false;
		if ((chain | 1) == (hash | 1) && is_symbol(d, i, name, to))
			return true;
		if (chain & 1)
			break;
	}
	return false;
}

/* Where the module has it; 0: it has not. */
static uintptr_t symbol_in(const struct foreign_module *m,
			   const struct dynamic_symbols *d, const char *name,
			   size_t *size)
{
	ElfW(Sym) symbol;

	if (!find_dynamic_symbol(d, name, &symbol))
		return 0;
	*size = symbol.st_size;
	return m->base + symbol.st_value;
}

/* Is it there, and what is it? */
static void look_for_python(struct attach_python *p,
			    const struct foreign_module *m)
{
	struct python_layout *l = &p->layout;
	struct dynamic_symbols d;
	uint64_t says[SAYS_WORDS];
	uintptr_t runtime, version;
	size_t size;

	if (!find_dynamic_symbols(&d, m))
		return;
	runtime = symbol_in(m, &d, "_PyRuntime", &size);
	if (!runtime || !safe_read_copy(NULL, says, runtime, sizeof(says)))
		return;
	version = symbol_in(m, &d, "Py_Version", &size);
	p->version = python_layout_version(says, word_at(version),
					   str_base(m->path));
	if (!python_layout_choose(l, says, p->version))
		return;
	l->runtime = l->runtime_end = runtime; /* nothing is read in place */
	l->code_type = symbol_in(m, &d, "PyCode_Type", &size);
	l->loop = symbol_in(m, &d, "_PyEval_EvalFrameDefault", &l->loop_size);
	l->alone = python_layout_is_alone(str_base(m->path));
	p->there = l->code_type && (l->loop_size || !l->frame.unit);
}

static bool make_names(struct attach_python *p)
{
	void *before = python_code_exchange(NULL);
	bool ready = python_code_ready();

	p->names = python_code_exchange(before);
	return ready;
}

bool attach_python_look(struct attach_python *p, struct foreign *f)
{
	bool before = p->there;

	foreign_use(f, NULL, 0, 0);
	for (; !p->there && p->looked < f->module_count; p->looked++) {
		if (f->modules[p->looked].index == ATTACH_NO_MODULE)
			continue;
		p->module = p->looked;
		look_for_python(p, &f->modules[p->looked]);
	}
	p->there = p->there && !f->modules[p->module].gone &&
		   (p->names || make_names(p));
	if (p->there)
		p->layout.map = (const void *)&f->modules[p->module];
	return p->there && !before;
}

/*
 * Its threads.
 */

/* Where the C library keeps a thread's number: as here. */
static size_t number_in_pthread(void)
{
	const char *self = (const char *)pthread_self(), *at = self;
	pid_t tid = (pid_t)syscall(SYS_gettid), is;

	for (; at < self + PTHREAD_MOST; at += PTHREAD_STEP) {
		memcpy(&is, at, sizeof(is));
		if (is == tid)
			return (size_t)(at - self);
	}
	return 0;
}

static uintptr_t id_in_interpreter(const struct python_layout *l,
				   uintptr_t interpreter, pid_t tid,
				   size_t number)
{
	uintptr_t link = interpreter + l->interpreter.threads, thread, id;

	for (int i = 0; i < THREADS_MOST; i++) {
		pid_t is;

		if (!read_word(link, &thread) || !thread ||
		    !read_word(thread + l->thread.id, &id))
			return 0;
		if (safe_read_copy(NULL, &is, id + number, sizeof(is)) &&
		    is == tid)
			return id;
		link = thread + l->thread.next;
	}
	return 0;
}

uintptr_t attach_python_id(const struct attach_python *p, struct foreign *f,
			   pid_t tid)
{
	const struct python_layout *l = &p->layout;
	uintptr_t link = l->runtime + l->interpreter.heads, interpreter;
	size_t number = number_in_pthread();

	foreign_use_still(f, NULL, 0, 0);
	for (int i = 0; number && i < HEADS_MOST; i++) {
		uintptr_t id;

		if (!read_word(link, &interpreter) || !interpreter)
			break;
		id = id_in_interpreter(l, interpreter, tid, number);
		if (id)
			return id;
		link = interpreter + l->interpreter.next;
	}
	return 0;
}

/*
 * What they run.
 */

void attach_python_begin(struct attach_python *p, struct unwinder *u,
			 const struct attach_python_thread *t)
{
	if (!p->there)
		return;
	python_code_exchange(p->names);
	python_layout = &p->layout;
	u->thread = t->id ? t->id : UINTPTR_MAX;
	u->python.states[0] = t->state;
	u->python.known = t->state.thread != 0;
	u->python.missed = t->id ? 0 : NOT_LOOKED_FOR;
}

void attach_python_end(struct attach_python *p, struct unwinder *u,
		       struct attach_python_thread *t)
{
	if (!p->there)
		return;
	t->state = u->python.known ? u->python.states[0]
				   : (struct python_state){ 0 };
	python_layout = NULL;
	p->names = python_code_exchange(NULL);
}

/* The kernel's, which the C library has not everywhere. */
struct schedule {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t slice_ns, deadline_ns, period_ns;
};

/* Who wants a core for a moment gets it at once, from Linux 6.12 on. */
void attach_python_hurry(void)
{
	struct schedule s = { .size = sizeof(s) };

	if (!syscall(SYS_sched_getattr, 0, &s, sizeof(s), 0)) {
		s.slice_ns = SLICE_NS;
		syscall(SYS_sched_setattr, 0, &s, 0);
	}
}

void attach_python_follow(int core)
{
	static cpu_set_t before; /* mutable: where we may be, … */
	static int bound = -1;   /* … and where we are; -1: there */
	cpu_set_t one;

	if (core == bound || core >= CPU_SETSIZE ||
	    (bound < 0 && sched_getaffinity(0, sizeof(before), &before)))
		return;
	CPU_ZERO(&one);
	if (core >= 0)
		CPU_SET(core, &one);
	if (!sched_setaffinity(0, sizeof(one), core < 0 ? &before : &one))
		bound = core;
}
