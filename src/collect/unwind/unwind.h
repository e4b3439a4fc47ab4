/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unwind.h - from the registers of a moment to the node of its call path.
 *
 * A per-thread memo makes the common case cheap: the last path is kept with
 * every word of the stack that leads from each frame to its caller.  What is
 * unchanged of it, seen from the root, need not be walked again: the new walk
 * stops where it meets a frame of the same pc, sp and fp.  From there on a
 * walk would read only words that are known to be unchanged, so the result is
 * that of a full walk.  When `verify` is set, each path is walked in full as
 * well, with nothing remembered, and differences are counted.
 *
 * A walk has a limit, `depth` new frames.  A path that is deeper is joined with
 * what the memo has of the frames nearest to the root, where these are
 * unchanged (joined.depth): what lies between is left out.  While nothing is
 * known of them, or not enough, a walk goes on to the root now and then.
 *
 * Nothing that is read can fault: the thread's own stack stays as long as the
 * thread, and what else a path leads to, right or wrong, is read through a
 * reader.
 *
 * Threads   An unwinder belongs to one thread.
 * Signals   All marked functions may run in a handler.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "arch/frame.h"
#include "arch/page-size.h"
#include "base/sigsafe.h"
#include "collect/python/python-frames.h"
#include "collect/unwind/cfi.h"
#include "collect/unwind/safe-read.h"
#include "live/tree.h"

struct unwind_frame {
	struct cfi_frame at;
	bool exact;          /* pc is an instruction, not a return address */
	bool alone;          /* how it was reached cannot be remembered */
	live_ref node;       /* of the path that ends here */
	uintptr_t fp_slot;   /* where at.fp was read from, 0: not from memory */
	uintptr_t word_slot; /* another word that the step here read, 0: none */
	uintptr_t word;
	struct frame_return returns;
};

/*
 * What is known about a pc.  What a known one is asked for is in its first
 * cache line: between two samples the caches were the program's.
 */
struct unwind_place {
	uintptr_t pc;
	uint64_t offset;
	uint32_t generation; /* what it is true for; 0: not remembered */
	uint32_t owner;
	uint8_t kind;
	bool hidden : 1; /* code of copse itself */
	bool passed : 1; /* code that calls nothing on its own behalf */
	bool python : 1; /* code of the interpreter's module, … */
	bool loop : 1;   /* … of the function that runs Python's */
	bool lasting;    /* registry_module's */
	/* Its node below that parent, as it was found last: … */
	live_ref parent, node;
	uint32_t era; /* … the unwinder's at that time; 0: none */
	struct cfi_rule rule;
} __attribute__((aligned(CACHE_LINE)));

enum {
	UNWIND_ROWS = 4,
	UNWIND_PLACES = 512, /* to begin with */
	UNWIND_PLACES_MOST = 1 << 14,
	UNWIND_ROOTS = 64, /* frames that deep paths are joined with */
};

struct unwinder {
	uintptr_t low, high;  /* the thread's own stack */
	uintptr_t thread;     /* its registers_thread(); 0: it asks itself */
	uintptr_t floor;      /* paths begin below it; UINTPTR_MAX: nowhere */
	live_ref root;        /* that the memo's path is below */
	uintptr_t sounded;    /* it can be read from here up */
	uintptr_t window_low; /* what a walk may read: from here up */
	bool window_own;      /* and on the thread's own stack */
	bool verify;
	const mcontext_t *registers; /* at the top, NULL: not known */
	const void
		*hidden; /* link map of the module whose frames are left out */
	uint32_t depth;  /* most frames that are walked anew */
	uint32_t count;  /* frames in the memo */
	uint32_t seam;   /* behind so many, others are left out; 0: none are */
	uint32_t generation; /* of the code, that the memo is for */
	uint32_t era;        /* how often it was forgotten */
	int partial;         /* enum loss of the memo's path, -1: complete */
	struct {
		uintptr_t sp, pc;
		bool exact;
	} reached;         /* the last frame that was walked to */
	uint64_t verified; /* paths that were walked in full as well */
	uint64_t differ;   /* those that it did not confirm */
	struct unwind_frame *memo, *fresh, *far; /* the last: walked beyond */
	/* CPU time that these walks took, the last one, its begin, and after
	   how many times as long another one may begin. */
	uint64_t far_ns, far_took_ns, far_last_ns, far_times;
	struct unwind_place *places;
	uint32_t place_count; /* a power of 2 */
	uint32_t displaced;   /* places that others took since it grew */
	struct safe_read reader;
	/* Interrupted instructions whose rules stand for their neighbours. */
	struct unwind_place rows[UNWIND_ROWS];
	uint32_t row; /* the last that was filled */
	struct python_frames python;
};

/* Bytes behind a struct unwinder that unwind_init() hands out to its arrays. */
size_t unwind_size(uint32_t depth);
void unwind_init(struct unwinder *u, void *arrays, uint32_t depth);

/*
 * The collector's own frames are left out, but those of functions with this,
 * which stand for the ones of the C library that they are in front of.
 */
#define UNWIND_SHOWN __attribute__((section("copse_shown")))

/* Frames of the module that this code is in are left out as well; of a few. */
void unwind_hide(const void *code);

/* The module that this code is in makes no calls of its own: unwind_beyond().
 */
void unwind_pass(const void *code);

/* Another thread, with its stack in [low, high), goes on with it. */
void unwind_reuse(struct unwinder *u, uintptr_t low, uintptr_t high);
static inline void unwind_forget(struct unwinder *u)
{
	u->count = u->seam = u->python.count = 0;
	u->partial = -1;
	u->era++;
}

/* unwind_path() is going to be asked for a path that ends there. */
SIGSAFE void unwind_expect(const struct unwinder *u, uintptr_t pc);

/*
 * The node of the path that ends at `top`; `registers` are those of the
 * interrupted context, or NULL.  *why gets the reason of a partial path, or of
 * 0 being returned, else -1.
 */
SIGSAFE live_ref unwind_path(struct unwinder *u, struct tree *tree,
			     const struct cfi_frame *top, bool exact,
			     const mcontext_t *registers, int *why);

/* Where the function of the last frame begins; 0: that is not known. */
SIGSAFE uintptr_t unwind_reached_function(struct unwinder *u);

/* A frame that others were walked over to. */
struct unwind_beyond {
	struct cfi_frame at;
	uintptr_t fp_slot; /* where at.fp was read from; 0: not from memory */
	bool lasting;      /* it can be remembered where it is */
};

/*
 * From `top`, a frame that a library has called back, to the program's: the
 * first that lies beyond `inside`, a place in the frame of the function that
 * the program called, and is not of a module that is passed.  Where a frame
 * between has no unwind information, it is the first return address beyond.
 */
SIGSAFE bool unwind_beyond(struct unwinder *u, const struct cfi_frame *top,
			   uintptr_t inside, struct unwind_beyond *to);

/* A word of the stack, and what it holds. */
struct unwind_word {
	const uintptr_t *at;
	uintptr_t value;
};

enum {
	UNWIND_LINE = 4
};

/*
 * All words that the path just found by unwind_path() from `top` hangs on, put
 * behind the first `count` of `to`: while they are the same, it is.
 * *fp_matters: and while the frame pointer is.  Returns their number in all,
 * -1: there are more than `most`, or it hangs on something else.
 *
 * Outside a handler each UNWIND_LINE of them can be read when those before are
 * the same: then the interpreter's frames are there whose words they are.  And
 * when all are, so many code objects, behind them in `to`, are there: each has
 * to have its python_code_identity(), or the path has another function.
 */
SIGSAFE int unwind_words(struct unwinder *u, const struct cfi_frame *top,
			 struct unwind_word *to, uint32_t count, uint32_t most,
			 bool *fp_matters, uint32_t *codes);
