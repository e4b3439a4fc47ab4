/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * attach-python.h - the interpreter of Python in another process: its symbols,
 * its threads, and who of them runs what, by the collector's own reader.
 *
 * What is read has to stand still, and nobody is stopped: a sample wakes us, on
 * the core that its thread had at the sample before, and the thread waits for
 * the core meanwhile.  That its clock stands says so, before and after.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/foreign.h"
#include "collect/python/python-frames.h"

struct unwinder;

struct attach_python {
	struct python_layout layout;
	void *names;      /* of its code: python_code_exchange() */
	size_t looked;    /* at so many modules */
	size_t module;    /* that has it */
	bool there;       /* its functions can be known, … */
	uint16_t version; /* … or not; 0: there is none */
};

/* A thread of it, as it was last. */
struct attach_python_thread {
	uintptr_t id; /* registers_thread(); 0: it runs no Python so far */
	struct python_state state;
	unsigned int looks; /* for its number */
};

/* Modules may have come, or moved in the list; true: it was found. */
bool attach_python_look(struct attach_python *p, struct foreign *f);

/* The number of a thread that can run Python; 0: it is not known as one. */
uintptr_t attach_python_id(const struct attach_python *p, struct foreign *f,
			   pid_t tid);

/*
 * Between the two, the unwinder knows its code, and paths of a thread that has
 * a number have its functions.
 */
void attach_python_begin(struct attach_python *p, struct unwinder *u,
			 const struct attach_python_thread *t);
void attach_python_end(struct attach_python *p, struct unwinder *u,
		       struct attach_python_thread *t);

/* From now on we do not wait long for a core. */
void attach_python_hurry(void);

/* We run on this core from now on, if we may; -1: where we like. */
void attach_python_follow(int core);
