/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * python-frames.h - the functions of Python that a thread is in, and where on
 * its stack the interpreter's frames are that run them.
 *
 * The interpreter has a mark on the C stack in each call of its loop: 3.10 and
 * 3.11 struct _PyCFrame, from 3.12 on a frame that is an entry.  A frame of C's
 * that has the mark within its extent runs the functions behind the mark, up
 * to the next one.  3.9 has none, and 3.10 one more or less for a moment: but
 * there each function has a call of the loop, and the walk counts these.
 *
 * A chain of more frames than are read is joined with those nearest to the
 * root, which lie in order at the begin of the thread's stack of frames.
 *
 * A chain that is caught half changed is refused: the marks and
 * the frames must agree, a frame lies below the top of its stack, a generator
 * runs, and its code is a code object that has the instruction.
 *
 * Threads   One belongs to one thread.
 * Signals   All marked functions may run in a handler.  What is read is read
 *           so that it cannot fault; nothing of Python's is called or changed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sigsafe.h"
#include "collect/python/python-code.h"
#include "collect/python/python-layout.h"
#include "collect/unwind/safe-read.h"
#include "live/layout.h"

struct python_frame {
	uintptr_t at, previous, code, instr;
	int32_t copy;            /* of its bytecodes, which it runs */
	uintptr_t entry;         /* the mark on the C stack */
	struct python_name name; /* of its function */
	uint64_t identity;       /* of its code; 0: not known */
	live_ref parent, node;   /* as it was inserted last */
};

enum {
	PYTHON_STATES = 4,
	PYTHON_ROOTS = 64, /* frames that deep chains are joined with */
};

struct python_frames {
	/* The thread's states, one for each interpreter, from the leaf: code
	   of a later one called that of the one before. */
	struct python_state {
		uintptr_t thread;
		uintptr_t interpreter, gil; /* of that; 0: not known */
	} states[PYTHON_STATES];
	uint32_t known;
	uint32_t current; /* its code is nearest to the leaf */
	bool cut;         /* fresh: more frames follow towards the root */
	bool unmarked;    /* fresh: the walk has to find where they are run */
	bool guessed;     /* fresh: the walk has to tell whether no other frame
			     of C's runs what was left out, or … */
	bool whole;       /* … all has to be read up to the mark */
	bool lasting;     /* the thread is there as long as the interpreter */
	/* Where the first frame's address was read from, fresh and memo. */
	uintptr_t first, memo_first;
	uint32_t missed; /* times that it was looked for, and not found */
	uint32_t named;  /* samples that had functions to be named */
	uint32_t limit;  /* so many are read from the leaf on */
	uint32_t most, count, read, same;
	/* Behind so many, nearest to the root, others are left out, fresh and
	   memo; 0: none are. */
	uint32_t seam, memo_seam;
	/* From the root, the last `count` and `read` of `most`; the first
	   `same` of both are the same. */
	struct python_frame *memo, *fresh;
	struct python_frame *now; /* has the fresh ones: the memo itself where
				     the same frames are there */
	char *room;               /* for what is read of code objects */
};

SIGSAFE size_t python_frames_size(uint32_t depth);
SIGSAFE void python_frames_init(struct python_frames *p, void *arrays,
				uint32_t depth);

/* What can be read on a thread's stack as it is. */
struct python_stack {
	uintptr_t low, high;
	uintptr_t id; /* of that thread: registers_thread() */
};

enum python_read {
	PYTHON_READ,
	PYTHON_TORN, /* half changed */
	PYTHON_BUSY, /* a name could not be added now */
};

/*
 * The frames of now become the fresh ones.  `afresh`: nothing of the memo is
 * believed.  `calm`: the thread was not interrupted; what frames of a lasting
 * one refer to can be read as it is.
 */
SIGSAFE enum python_read python_frames_read(struct python_frames *p,
					    struct safe_read *reader,
					    const struct python_stack *stack,
					    bool afresh, bool calm);

/*
 * The thread's states in the interpreters are looked for; true: they are others
 * than were known.
 */
SIGSAFE bool python_frames_find(struct python_frames *p,
				struct safe_read *reader,
				const struct python_stack *stack);

/*
 * The frame that a lasting thread runs, or has called C from; any thread may
 * ask.  0: none, or it is not known.  From 3.11 on.
 */
SIGSAFE uintptr_t python_frames_current(const struct python_frames *p,
					const struct python_stack *stack);
/* Its function's code object; 0: it cannot be read. */
SIGSAFE uintptr_t python_frame_code(struct safe_read *reader, uintptr_t frame);

/* None is known. */
SIGSAFE void python_frames_forget(struct python_frames *p);

/* There is more than one interpreter, from 3.11 on. */
SIGSAFE bool python_has_others(void);

static inline const struct python_state *
python_state(const struct python_frames *p)
{
	return &p->states[p->current];
}

/*
 * Up to 3.10 the state of the first thread goes when the interpreter ends: it
 * is there while both are the first of their lists.
 */
SIGSAFE bool python_state_stays(const struct python_frames *p);

/* The fresh ones become the memo. */
SIGSAFE void python_frames_keep(struct python_frames *p);

static inline struct python_frame *python_frame_fresh(struct python_frames *p,
						      uint32_t i)
{
	return &p->now[p->most - p->read + i];
}

static inline struct python_frame *python_frame_memo(struct python_frames *p,
						     uint32_t i)
{
	return &p->memo[p->most - p->count + i];
}

/* Where in its function it is, as a node of the live profile has it. */
static inline uint64_t python_frame_offset(const struct python_frame *f)
{
	return f->instr - f->name.begin + 2;
}

/*
 * The mark of the first frame, from the root, that is not as it was: what is
 * called from there on is not, either.  0: all are.
 */
SIGSAFE uintptr_t python_frames_changed(struct python_frames *p);
