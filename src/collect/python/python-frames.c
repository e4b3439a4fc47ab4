/* SPDX-License-Identifier: BSD-3-Clause */
/* python-frames.c - see python-frames.h. */
#include "collect/python/python-frames.h"

#include <string.h>

#include "base/sys.h"
#include "collect/python/python-gil.h"

enum {
	BEFORE = 8, /* bytes before a frame */
	THREAD_SIZE = 512,
	INTERPRETERS_MOST = 64,
	THREADS_MOST = 4096,
	MISSES = 64,     /* after these it is looked for … */
	MISS_EVERY = 64, /* … once in these */
	STEPS_MOST = 1 << 16,
	CHUNKS_MOST = 1 << 12,
	REACH_MOST = 1 << 20,
	RECURSION = 4,      /* frames, to find a call of a function by itself */
	LOOKED_FIRST = 256, /* samples look at their functions, then … */
	LOOKED_EVERY = 16,  /* … once in these */
	WORD = sizeof(uintptr_t),
};

enum { /* words of a piece of the thread's stack of frames */
	CHUNK_PREVIOUS,
	CHUNK_SIZE,
	CHUNK_TOP, /* where another one was begun: of its frames' words */
	CHUNK_HEAD,
	CHUNK_FIRST = CHUNK_HEAD + 1, /* of the first: one is free */
	HEAD_3_11 = 9                 /* of a frame, before what varies */
};

enum { /* a frame's owner */
	BY_THREAD,
	BY_GENERATOR,
	BY_FRAME_OBJECT,
	BY_C_STACK
};

SIGSAFE size_t python_frames_size(uint32_t depth)
{
	return 2 * (depth + PYTHON_ROOTS) * sizeof(struct python_frame) +
	       PYTHON_ROOM;
}

SIGSAFE void python_frames_init(struct python_frames *p, void *arrays,
				uint32_t depth)
{
	*p = (struct python_frames){ .limit = depth,
				     .most = depth + PYTHON_ROOTS,
				     .memo = arrays };
	p->now = p->fresh = p->memo + p->most;
	p->room = (char *)(p->fresh + p->most);
}

struct chain_reading {
	struct python_frames *to;
	struct safe_read *reader;
	const struct python_stack *stack;
	const struct python_layout *layout;
	const struct python_state *state; /* whose frames these are */
	uintptr_t chunk, top, limit; /* of the thread's stack of frames, … */
	uintptr_t own; /* … which can be read as it is up to there, … */
	uintptr_t root, root_end; /* … and what is in use of its first piece */
	bool alive;       /* so can frames that are objects, and their code */
	bool calm;        /* so can code, of frames that were read */
	bool whole;       /* a mark that comes is not guessed */
	uintptr_t cframe; /* that the frames, or the next one, are run by */
	uintptr_t entry;  /* the last mark */
	uint32_t open;    /* frames kept since then */
};

SIGSAFE static bool lies_within(uintptr_t at, size_t size, uintptr_t low,
				uintptr_t high)
{
	return at >= low && at < high && size <= high - at;
}

/* The stack, the piece of memory with frames, and the runtime's state stay. */
SIGSAFE static bool memory_stays(const struct chain_reading *r, uintptr_t at,
				 size_t size)
{
	return lies_within(at, size, r->chunk, r->own) || r->alive ||
	       (r->own && lies_within(at, size, r->root, r->root_end)) ||
	       lies_within(at, size, r->stack->low, r->stack->high) ||
	       lies_within(at, size, r->layout->runtime,
			   r->layout->runtime_end);
}

/* What is there, or a copy in `room` where it may go; NULL: there is none. */
SIGSAFE static const char *bytes_at(const struct chain_reading *r, uintptr_t at,
				    size_t size, char *room)
{
	if (memory_stays(r, at, size))
		return (const char *)at;
	return safe_read_copy(r->reader, room, at, size) ? room : NULL;
}

SIGSAFE static uintptr_t word_of(const char *bytes, uint32_t offset)
{
	uintptr_t word;

	__builtin_memcpy(&word, bytes + offset, sizeof(word));
	return word;
}

/*
 * The state of the first thread is a part of the runtime's.  As long as that
 * thread is in a handler, the piece of memory that the state names as its stack
 * of frames stays: the thread itself gives it back, when the state names
 * another.
 */
SIGSAFE static bool read_thread_state(struct chain_reading *r, char *to,
				      uint32_t size)
{
	const struct python_layout *layout = r->layout;
	uintptr_t thread = r->state->thread, chunk;

	if (!lies_within(thread, size, layout->runtime, layout->runtime_end))
		return safe_read_copy(r->reader, to, thread, size);
	__builtin_memcpy(to, (const void *)thread, size);
	if (!r->to->lasting)
		return true;
	chunk = word_of(to, layout->thread.chunk);
	if (chunk && word_of(to, layout->thread.id) == r->stack->id)
		r->own =
			chunk + ((const volatile uintptr_t *)chunk)[CHUNK_SIZE];
	return true;
}

SIGSAFE static uintptr_t runtime_word(uint32_t offset)
{
	return *(const volatile uintptr_t *)(python_layout->runtime + offset);
}

/* It has the GIL: neither its state nor a frame that it runs goes meanwhile. */
SIGSAFE static bool holds_gil(const struct chain_reading *r)
{
	const struct python_layout *layout = r->layout;

	return layout->gil.current && layout->runtime < layout->runtime_end &&
	       runtime_word(layout->gil.current) == r->state->thread;
}

SIGSAFE bool python_state_stays(const struct python_frames *p)
{
	const struct python_layout *layout = python_layout;
	const struct python_state *s = python_state(p);

	return p->lasting && layout->runtime < layout->runtime_end &&
	       runtime_word(layout->interpreter.heads) == s->interpreter &&
	       *(const volatile uintptr_t *)(s->interpreter +
					     layout->interpreter.threads) ==
		       s->thread;
}

/* The list begins with the newest, and the first is a part of the runtime. */
SIGSAFE bool python_has_others(void)
{
	const struct python_layout *layout = python_layout;

	return !layout->frame.unit && layout->runtime < layout->runtime_end &&
	       !lies_within(runtime_word(layout->interpreter.heads), WORD,
			    layout->runtime, layout->runtime_end);
}

/*
 * Up to 3.10 the state is in the heap.  Another thread's, that is where its own
 * has been, may go meanwhile, and has another number.
 */
SIGSAFE static bool read_state_object(struct chain_reading *r, char *to,
				      uint32_t size)
{
	const struct python_frames *p = r->to;
	bool holds = holds_gil(r);

	r->alive = python_state_stays(p) || (holds && p->lasting);
	if (r->alive) {
		__builtin_memcpy(to, (const void *)r->state->thread, size);
		return true;
	}
	if (!safe_read_copy(r->reader, to, r->state->thread, size))
		return false;
	r->alive = holds && holds_gil(r) &&
		   word_of(to, r->layout->thread.id) == r->stack->id;
	return true;
}

/*
 * Is it a state that the thread with that stack is in?  Up to 3.12 one may be
 * of the thread that made it, and another one is in it: that one's stack has
 * what the state runs frames by.
 */
SIGSAFE static bool is_threads_own(const struct python_stack *stack,
				   uintptr_t id, uintptr_t frame)
{
	return id == stack->id ||
	       (python_layout->cframe.there &&
		lies_within(frame, WORD, stack->low, stack->high));
}

/* The frame to begin with, and the stack of frames; false: not its state. */
SIGSAFE static bool read_thread(struct chain_reading *r, uintptr_t *first)
{
	const struct python_layout *layout = r->layout;
	uint32_t size = layout->thread.chunk ? layout->thread.chunk + 3 * WORD
					     : layout->thread.id + WORD;
	char bytes[THREAD_SIZE];

	r->own = 0;
	if (size > sizeof(bytes) ||
	    !(layout->frame.unit ? read_state_object
				 : read_thread_state)(r, bytes, size) ||
	    !is_threads_own(r->stack, word_of(bytes, layout->thread.id),
			    word_of(bytes, layout->thread.frame)))
		return false;
	if (layout->thread.chunk) {
		r->chunk = word_of(bytes, layout->thread.chunk);
		r->top = word_of(bytes, layout->thread.chunk + WORD);
		r->limit = word_of(bytes, layout->thread.chunk + 2 * WORD);
	}
	r->cframe = word_of(bytes, layout->cframe.last);
	*first = word_of(bytes, layout->thread.frame);
	r->to->first = r->state->thread + layout->thread.frame;
	return true;
}

/* What a frame of C's runs, and who called that. */
SIGSAFE static bool read_cframe(struct chain_reading *r, uintptr_t cframe,
				uintptr_t *current, uintptr_t *previous)
{
	char room[3 * WORD];
	const char *bytes = bytes_at(r, cframe, sizeof(room), room);

	if (!bytes)
		return false;
	*current = word_of(bytes, r->layout->cframe.current);
	*previous = word_of(bytes, r->layout->cframe.previous);
	r->cframe = cframe;
	return true;
}

/* The frames since the last mark are run from this one. */
SIGSAFE static bool close_entry(struct chain_reading *r, uintptr_t entry)
{
	struct python_frames *p = r->to;

	if (entry <= r->entry)
		return false;
	r->entry = entry;
	for (; r->open; r->open--)
		python_frame_fresh(p, r->open - 1)->entry = entry;
	return true;
}

/* Up to 3.11: the frame is the first that its frame of C's ran. */
SIGSAFE static bool leave_cframe(struct chain_reading *r, uintptr_t previous)
{
	uintptr_t current, cframe;

	return close_entry(r, r->cframe) &&
	       read_cframe(r, r->cframe, &current, &cframe) &&
	       read_cframe(r, cframe, &current, &cframe) && current == previous;
}

/*
 * The first frame's generator, which has yielded and not been left yet: one
 * that was left has no caller.
 */
SIGSAFE static bool is_yielding(const struct chain_reading *r, int8_t state,
				uintptr_t previous)
{
	return !r->to->read && previous &&
	       state >= r->layout->frame.suspended[0] &&
	       state <= r->layout->frame.suspended[1];
}

/* Is it in use?  A frame that was just left is not. */
SIGSAFE static bool is_in_use(const struct chain_reading *r, uintptr_t at,
			      const char *bytes, uintptr_t previous)
{
	int8_t state = (int8_t)bytes[BEFORE - r->layout->frame.running];

	switch ((uint8_t)bytes[BEFORE + r->layout->frame.owner]) {
	case BY_THREAD:
		return at < r->chunk || at >= r->limit || at < r->top;
	case BY_GENERATOR:
		return state == r->layout->frame.runs ||
		       is_yielding(r, state, previous);
	default:
		return false;
	}
}

/* Which of the bytecodes of its code it runs. */
SIGSAFE static int32_t copy_run(const struct python_layout *layout,
				const char *frame)
{
	return layout->frame.copy ? (int32_t)word_of(frame, layout->frame.copy)
				  : 0;
}

SIGSAFE static struct python_frame frame_of(const struct python_layout *layout,
					    uintptr_t at, const char *frame)
{
	return (struct python_frame){
		.at = at,
		.previous = word_of(frame, layout->frame.previous),
		.code = word_of(frame, layout->frame.code) &
			~(uintptr_t)layout->frame.tags,
		.instr = word_of(frame, layout->frame.instr),
		.copy = copy_run(layout, frame),
	};
}

/* The memo's begin, if it is far enough: the rest then has the nodes it had. */
SIGSAFE static bool is_memo_begin(struct python_frames *p)
{
	return p->count && p->read > p->limit / 2 &&
	       python_frame_fresh(p, 0)->at ==
		       python_frame_memo(p, p->memo_seam)->at;
}

/* One more, the last so far; of too many those nearest to the leaf are kept. */
SIGSAFE static struct python_frame *add_frame(struct chain_reading *r,
					      uintptr_t at, const char *frame)
{
	struct python_frames *p = r->to;

	if (p->read == p->limit ||
	    (!r->layout->frame.unit && is_memo_begin(p))) {
		p->cut = true;
		return NULL;
	}
	p->read++;
	r->open++;
	*python_frame_fresh(p, 0) = frame_of(r->layout, at, frame);
	return python_frame_fresh(p, 0);
}

/*
 * One frame: *at becomes the one before it.  The root, from 3.15 on, is no
 * entry: it runs nothing.
 */
SIGSAFE static bool read_frame(struct chain_reading *r, uintptr_t *at)
{
	const struct python_layout *layout = r->layout;
	char room[BEFORE + PYTHON_FRAME_MOST];
	const char *bytes = NULL, *frame;
	uintptr_t is = *at;

	if (is % WORD == 0)
		bytes = bytes_at(r, is - BEFORE, BEFORE + layout->frame.size,
				 room);
	if (!bytes)
		return false;
	frame = bytes + BEFORE;
	*at = word_of(frame, layout->frame.previous);
	if (!layout->frame.is_entry &&
	    (uint8_t)frame[layout->frame.owner] == BY_C_STACK)
		return (!*at && !r->open) || close_entry(r, is);
	if (!is_in_use(r, is, bytes, *at))
		return false;
	add_frame(r, is, frame);
	return !layout->frame.is_entry || !frame[layout->frame.is_entry] ||
	       leave_cframe(r, *at);
}

/* 3.10: the thread's own, which runs nothing. */
SIGSAFE static bool is_first_cframe(const struct chain_reading *r)
{
	return r->cframe == r->state->thread + r->layout->cframe.first;
}

/*
 * Up to 3.10: an object, which stays as it is while the thread runs it.  3.10
 * has a mark for each.
 */
SIGSAFE static bool read_frame_object(struct chain_reading *r, uintptr_t *at)
{
	const struct python_layout *layout = r->layout;
	char room[PYTHON_FRAME_MOST];
	const char *frame = NULL, *mark;
	struct python_frame *added;
	uintptr_t is = *at;

	if (is % WORD == 0)
		frame = bytes_at(r, is, layout->frame.size, room);
	if (!frame)
		return false;
	*at = word_of(frame, layout->frame.previous);
	added = add_frame(r, is, frame);
	if (added) /* it counts */
		added->instr = added->code + layout->code.bytes +
			       (uintptr_t)((int32_t)added->instr *
					   (intptr_t)layout->frame.unit);
	if (!layout->cframe.last || is_first_cframe(r)) {
		r->to->unmarked = true;
		r->open = 0;
		return true;
	}
	mark = bytes_at(r, r->cframe + layout->cframe.previous, WORD, room);
	if (!mark || !close_entry(r, r->cframe))
		return false;
	r->cframe = word_of(mark, 0);
	return true;
}

/* Marks that are not as many as frames say nothing. */
SIGSAFE static void settle_marks(struct chain_reading *r)
{
	struct python_frames *p = r->to;

	if (r->layout->cframe.last && !p->cut && !is_first_cframe(r))
		p->unmarked = true;
	for (uint32_t i = 0; p->unmarked && i < p->read; i++)
		python_frame_fresh(p, i)->entry = 0;
}

/* Below the frame is the mark that is expected, or none: *at becomes what is
   called from there on. */
SIGSAFE static bool has_mark(struct chain_reading *r, const char *frame,
			     uintptr_t *at, uintptr_t mark)
{
	const struct python_layout *layout = r->layout;
	char room[PYTHON_FRAME_MOST];
	uintptr_t current, cframe;
	const char *entry;

	if (layout->frame.is_entry)
		return !frame[layout->frame.is_entry] == !mark &&
		       (!mark || (r->cframe == mark &&
				  read_cframe(r, mark, &current, &cframe) &&
				  read_cframe(r, cframe, &current, &cframe) &&
				  current == *at));
	if (!mark)
		return true;
	entry = *at == mark ? bytes_at(r, mark, layout->frame.size, room)
			    : NULL;
	if (!entry || (uint8_t)entry[layout->frame.owner] != BY_C_STACK)
		return false;
	*at = word_of(entry, layout->frame.previous);
	return true;
}

/* From 3.15 on the root is a frame that runs nothing. */
SIGSAFE static bool is_root_frame(struct chain_reading *r, uintptr_t at)
{
	char room[PYTHON_FRAME_MOST];
	const char *root;

	if (!at)
		return true;
	root = r->layout->frame.is_entry
		       ? NULL
		       : bytes_at(r, at, r->layout->frame.size, room);
	return root && (uint8_t)root[r->layout->frame.owner] == BY_C_STACK &&
	       !word_of(root, r->layout->frame.previous);
}

/* Is the memo's code, which a frame of now runs, the object that it was? */
SIGSAFE static bool is_same_code_object(const struct chain_reading *r,
					const struct python_frame *m)
{
	return !r->calm ||
	       (m->identity &&
		python_code_identity(r->layout, m->code) == m->identity);
}

/*
 * Is the memo's frame there?  The last one may be at another instruction.
 * *at becomes the frame before it.
 */
SIGSAFE static bool is_frame_there(struct chain_reading *r, uint32_t i,
				   uintptr_t *at, struct python_frame *last)
{
	const struct python_layout *layout = r->layout;
	const struct python_frame *m = python_frame_memo(r->to, i);
	uintptr_t mark = !i || m[-1].entry != m->entry ? m->entry : 0;
	char room[BEFORE + PYTHON_FRAME_MOST];
	const char *bytes, *frame;

	if (*at != m->at || (m->name.changes && !r->calm))
		return false;
	bytes = bytes_at(r, m->at - BEFORE, BEFORE + layout->frame.size, room);
	if (!bytes)
		return false;
	frame = bytes + BEFORE;
	*at = word_of(frame, layout->frame.previous);
	if (last) {
		*last = *m;
		last->instr = word_of(frame, layout->frame.instr);
		last->copy = copy_run(layout, frame);
	}
	return *at == m->previous &&
	       (word_of(frame, layout->frame.code) &
		~(uintptr_t)layout->frame.tags) == m->code &&
	       (last ? is_in_use(r, m->at, bytes, *at)
		     : word_of(frame, layout->frame.instr) == m->instr) &&
	       is_same_code_object(r, m) && has_mark(r, frame, at, mark);
}

/*
 * All are as they were, but for the instruction of the last: the memo is what
 * there is now.
 */
SIGSAFE static bool is_chain_as_in_memo(struct chain_reading *r, uintptr_t at)
{
	struct python_frames *p = r->to;
	uint32_t i = p->count;
	struct python_frame last, *m;

	while (!p->memo_seam && i-- > 0)
		if (!is_frame_there(r, i, &at,
				    i + 1 == p->count ? &last : NULL))
			return false;
	if (!p->count || p->memo_seam || !is_root_frame(r, at))
		return false;
	m = python_frame_memo(p, p->count - 1);
	p->same = p->count - (last.instr != m->instr);
	p->read = p->count;
	p->now = p->memo;
	*m = last;
	return true;
}

/*
 * Without reading the heap, so that nothing can fault: the state is in the
 * runtime's, the frame of C's on the thread's stack.
 */
SIGSAFE uintptr_t python_frames_current(const struct python_frames *p,
					const struct python_stack *stack)
{
	const struct python_layout *layout = python_layout;
	uintptr_t at = p->states[0].thread + layout->thread.frame;

	if (!p->lasting || !p->known || layout->frame.unit ||
	    !lies_within(at, WORD, layout->runtime, layout->runtime_end))
		return 0;
	at = *(const volatile uintptr_t *)at;
	if (!layout->cframe.there)
		return at;
	at += layout->cframe.current;
	return lies_within(at, WORD, stack->low, stack->high)
		       ? *(const volatile uintptr_t *)at
		       : 0;
}

SIGSAFE uintptr_t python_frame_code(struct safe_read *reader, uintptr_t frame)
{
	const struct python_layout *layout = python_layout;
	uintptr_t code;

	if (!frame ||
	    !safe_read_alone(reader, &code, frame + layout->frame.code, WORD))
		return 0;
	return code & ~(uintptr_t)layout->frame.tags;
}

SIGSAFE void python_frames_forget(struct python_frames *p)
{
	p->states[0] = (struct python_state){ 0 };
	p->known = p->current = p->read = 0;
}

/*
 * The first piece of the thread's stack of frames, which the interpreter never
 * gives back, begins with the frames nearest to the root.
 */
SIGSAFE static bool find_first_chunk(struct chain_reading *r)
{
	uintptr_t words[CHUNK_HEAD] = { r->chunk }, chunk = 0;

	for (int i = 0; words[CHUNK_PREVIOUS] && i < CHUNKS_MOST; i++) {
		chunk = words[CHUNK_PREVIOUS];
		if (r->own)
			__builtin_memcpy(words, (const void *)chunk,
					 sizeof(words));
		else if (!safe_read_copy(r->reader, words, chunk,
					 sizeof(words)))
			return false;
	}
	r->root = chunk;
	r->root_end = chunk == r->chunk
			      ? r->top
			      : chunk + (CHUNK_HEAD + words[CHUNK_TOP]) * WORD;
	return chunk && !words[CHUNK_PREVIOUS];
}

/*
 * One frame, called by the one before it, or the first.  Its mark is that of
 * its frame of C's; in 3.11, 1: the next one runs it.
 */
SIGSAFE static bool read_root(struct chain_reading *r, uintptr_t at,
			      const struct python_frame *before,
			      struct python_frame *to)
{
	const struct python_layout *layout = r->layout;
	char room[BEFORE + PYTHON_FRAME_MOST];
	const char *bytes = NULL;
	uintptr_t caller;

	if (at % WORD == 0 &&
	    lies_within(at, layout->frame.size, r->root, r->root_end))
		bytes = bytes_at(r, at - BEFORE, BEFORE + layout->frame.size,
				 room);
	if (!bytes || (uint8_t)bytes[BEFORE + layout->frame.owner] != BY_THREAD)
		return false;
	*to = frame_of(layout, at, bytes + BEFORE);
	caller = to->previous;
	if (layout->frame.is_entry)
		to->entry = (uint8_t)bytes[BEFORE + layout->frame.is_entry];
	else if (before && caller == before->at)
		to->entry = before->entry;
	else if (has_mark(r, bytes + BEFORE, &caller, caller))
		to->entry = to->previous;
	return before ? caller == before->at : is_root_frame(r, caller);
}

/* Where the frame lies that this one, of that number, calls: behind it. */
SIGSAFE static uintptr_t next_root(struct chain_reading *r,
				   const struct python_frame *f, uint32_t i)
{
	const struct python_frame *m = python_frame_memo(r->to, i);
	struct {
		int32_t stack, line, locals, all; /* words; from 3.12 on */
	} code;

	if (r->to->count && i + 1 < r->to->memo_seam && m->at == f->at &&
	    m->code == f->code)
		return m[1].at;
	if (!safe_read_copy(r->reader, &code,
			    f->code + r->layout->code.first -
				    sizeof(code.stack),
			    sizeof(code)))
		return 0;
	if (r->layout->frame.is_entry)
		code.all = code.stack + code.locals + HEAD_3_11;
	return f->at + (uint32_t)code.all * (uintptr_t)WORD;
}

/* 3.11: those of the last ones are run by the frame of C's with that mark. */
SIGSAFE static bool mark_roots(struct chain_reading *r,
			       struct python_frame *roots, uint32_t n,
			       uintptr_t mark)
{
	uintptr_t current, before;

	while (n-- > 0) {
		bool first = roots[n].entry;

		roots[n].entry = mark;
		if (!first)
			continue;
		if (!read_cframe(r, mark, &current, &mark) ||
		    !read_cframe(r, mark, &current, &before) ||
		    current != roots[n].previous)
			return false;
	}
	return true;
}

/* To be confirmed: the callers of a frame lead to that one. */
SIGSAFE static bool is_called_below(struct chain_reading *r,
				    const struct python_frame *f, uintptr_t to)
{
	uintptr_t at = f->previous;

	for (int i = 0; at && at != to && i < REACH_MOST; i++)
		if (!safe_read_copy(r->reader, &at,
				    at + r->layout->frame.previous, WORD))
			return false;
	return at == to;
}

/*
 * What was cut is joined with the frames nearest to the root, where the same
 * frame of C's runs what lies between: as long as there is no mark, a guess.
 */
SIGSAFE static bool join_roots(struct chain_reading *r, bool afresh)
{
	struct python_frames *p = r->to;
	struct python_frame *roots = p->fresh;
	const struct python_frame *first = python_frame_fresh(p, 0), *last;
	uint32_t n = 0;

	if (!p->read || p->known > 1 || !find_first_chunk(r))
		return false;
	for (uintptr_t at = r->root + CHUNK_FIRST * WORD;
	     n < PYTHON_ROOTS && at != first->at &&
	     read_root(r, at, n ? &roots[n - 1] : NULL, &roots[n]);
	     n++)
		at = next_root(r, &roots[n], n);
	last = &roots[n - (n > 0)];
	p->guessed = n && r->open;
	if (!n || (p->guessed && !close_entry(r, last->entry)) ||
	    (r->layout->frame.is_entry &&
	     !mark_roots(r, roots, n, first->entry)) ||
	    last->entry != first->entry ||
	    (afresh && !is_called_below(r, first, last->at)))
		return p->guessed = false;
	p->cut = first->previous != last->at;
	p->seam = p->cut ? n : 0;
	p->read += n;
	memmove(python_frame_fresh(p, 0), roots, n * sizeof(*roots));
	return true;
}

/*
 * Of more frames than are kept those up to a mark are read, to know it.  In
 * 3.11 it is known before; where they are joined it is guessed.
 */
SIGSAFE static bool is_chain_read_far_enough(struct chain_reading *r)
{
	struct python_frames *p = r->to;

	if (!r->open)
		return p->cut || p->read == p->limit;
	if (p->read < p->limit && !is_memo_begin(p))
		return false;
	if (r->layout->frame.is_entry)
		return close_entry(r, r->cframe);
	if (!r->whole && !r->layout->frame.unit)
		r->whole = !join_roots(r, false);
	return p->guessed;
}

/* All of one interpreter, from the leaf, until there are enough. */
SIGSAFE static bool read_frames(struct chain_reading *r, bool afresh)
{
	struct python_frames *p = r->to;
	uintptr_t at, cframe, mark;

	if (!read_thread(r, &at)) {
		python_frames_forget(p);
		return true;
	}
	if (r->layout->cframe.there) {
		p->first = at + r->layout->cframe.current;
		if (!read_cframe(r, at, &at, &cframe))
			return false;
	}
	mark = r->cframe;
	if (!afresh && !r->layout->frame.unit && is_chain_as_in_memo(r, at))
		return true;
	r->cframe = mark;
	for (uint32_t i = 0; at && !is_chain_read_far_enough(r); i++)
		if (i == STEPS_MOST ||
		    !(r->layout->frame.unit ? read_frame_object
					    : read_frame)(r, &at))
			return false;
	p->cut |= at && !p->guessed;
	settle_marks(r);
	if (p->cut && !p->seam && !r->open && !r->layout->frame.unit)
		join_roots(r, afresh);
	return !r->open;
}

/* Its marks are not on the thread's stack: another thread is in the state. */
SIGSAFE static bool marks_lie_elsewhere(const struct chain_reading *r,
					uintptr_t before)
{
	return r->entry != before &&
	       !lies_within(r->entry, WORD, r->stack->low, r->stack->high);
}

/*
 * Of all interpreters: one's frames lie below those that called them on the C
 * stack, or else they are torn.
 */
SIGSAFE static bool read_interpreters(struct chain_reading *r)
{
	struct python_frames *p = r->to;

	p->current = 0;
	for (uint32_t i = 0; i < p->known; i++) {
		uintptr_t entry = r->entry;
		uint32_t read = p->read;
		bool whole;

		r->state = &p->states[i];
		whole = read_frames(r, true);
		if (marks_lie_elsewhere(r, entry)) {
			p->read = read;
			r->entry = entry;
			r->open = 0;
		} else if (!whole) {
			return false;
		}
		if (!p->read && i + 1 < p->known)
			p->current = i + 1;
	}
	return true;
}

SIGSAFE static bool read_known_interpreters(struct chain_reading *r,
					    bool afresh)
{
	if (r->to->known > 1)
		return read_interpreters(r);
	r->to->current = 0;
	r->state = &r->to->states[0];
	return read_frames(r, afresh);
}

/* A fresh one without a mark gets that of the memo, until the walk has it. */
SIGSAFE static bool is_same_frame(const struct python_frame *a,
				  const struct python_frame *b)
{
	return a->at == b->at && a->code == b->code && a->instr == b->instr &&
	       (!a->entry || a->entry == b->entry) &&
	       a->previous == b->previous;
}

/* Code of as many of the frames from there on as pages can be had at once. */
SIGSAFE static void read_codes(struct chain_reading *r, uint32_t from)
{
	struct python_frames *p = r->to;
	size_t size = r->layout->code.bytes;

	if (safe_read_has(r->reader, python_frame_fresh(p, from)->code, size))
		return;
	while (from < p->read &&
	       safe_read_want(r->reader, python_frame_fresh(p, from)->code,
			      size))
		from++;
	safe_read_wanted(r->reader);
}

SIGSAFE static enum python_code name_one_frame(struct chain_reading *r,
					       uint32_t i, bool alone)
{
	struct python_frame *f = python_frame_fresh(r->to, i);
	struct python_place at = { f->code, f->instr, f->copy, alone,
				   r->alive };

	return python_code_name(r->layout, r->reader, &at, r->to->room,
				&f->name);
}

SIGSAFE static bool is_frame_believed(struct chain_reading *r, uint32_t i)
{
	struct python_frame *f = python_frame_fresh(r->to, i);

	return python_code_believed(r->layout, f->code, f->instr, &f->name);
}

/* One of the few frames before it runs the same: it has been named just now. */
SIGSAFE static bool is_recursion(struct python_frames *p, uint32_t i)
{
	struct python_frame *f = python_frame_fresh(p, i);

	for (uint32_t back = 1; back <= i && back <= RECURSION; back++) {
		const struct python_frame *b = f - back;

		if (b->code != f->code || b->instr != f->instr ||
		    b->copy != f->copy)
			continue;
		f->name = b->name;
		f->identity = b->identity;
		return true;
	}
	return false;
}

/* Does the memo's name hold?  Where objects change it is looked up again. */
SIGSAFE static bool is_same_name(struct chain_reading *r, uint32_t i)
{
	const struct python_frame *m = python_frame_memo(r->to, i);

	return !m->name.changes || r->calm ||
	       ((is_recursion(r->to, i) ||
		 name_one_frame(r, i, true) == PYTHON_CODE_NAMED) &&
		python_frame_fresh(r->to, i)->name.index == m->name.index);
}

/* Names that the memo has need no look at the code. */
SIGSAFE static void keep_names(struct chain_reading *r, uint32_t most)
{
	struct python_frames *p = r->to;

	while (p->same < p->read && p->same < most &&
	       is_same_frame(python_frame_fresh(p, p->same),
			     python_frame_memo(p, p->same)) &&
	       is_same_code_object(r, python_frame_memo(p, p->same)) &&
	       is_same_name(r, p->same)) {
		*python_frame_fresh(p, p->same) =
			*python_frame_memo(p, p->same);
		p->same++;
	}
}

SIGSAFE static void identify_frame(struct chain_reading *r, uint32_t i)
{
	struct python_frame *f = python_frame_fresh(r->to, i);

	f->identity = python_code_identity(r->layout, f->code);
}

/* Functions of files are believed to be what they were, most of the time. */
SIGSAFE static enum python_read name_frames(struct chain_reading *r,
					    bool afresh)
{
	struct python_frames *p = r->to;
	bool believed;

	if (p->now == p->fresh)
		keep_names(r, afresh ? 0 : p->count);
	if (p->same == p->read)
		return PYTHON_READ;
	believed = !afresh && !r->calm && ++p->named > LOOKED_FIRST &&
		   p->named % LOOKED_EVERY;
	for (uint32_t i = p->same; i < p->read; i++) {
		enum python_code found;

		if (is_recursion(p, i) || (believed && is_frame_believed(r, i)))
			continue;
		if (i + 1 < p->read && !r->alive)
			read_codes(r, i);
		found = name_one_frame(r, i, i + 1 == p->read);
		if (found != PYTHON_CODE_NAMED)
			return found == PYTHON_CODE_BUSY ? PYTHON_BUSY
							 : PYTHON_TORN;
		if (r->calm)
			identify_frame(r, i);
	}
	return PYTHON_READ;
}

/*
 * Of a thread whose state and frames may go: where these were, and the code of
 * the last, by one system call.
 */
SIGSAFE static void read_ahead(struct chain_reading *r)
{
	struct python_frames *p = r->to;
	const struct python_layout *layout = r->layout;
	uintptr_t thread = p->states[0].thread;
	uint32_t i = p->count;

	if (!i || layout->frame.unit ||
	    lies_within(thread, WORD, layout->runtime, layout->runtime_end))
		return;
	safe_read_want(r->reader, thread, layout->thread.chunk + 3 * WORD);
	safe_read_want(r->reader, python_frame_memo(p, i - 1)->code,
		       layout->code.bytes);
	while (i-- > 0 &&
	       safe_read_want(r->reader, python_frame_memo(p, i)->at - BEFORE,
			      BEFORE + layout->frame.size))
		;
	safe_read_wanted(r->reader);
}

SIGSAFE enum python_read python_frames_read(struct python_frames *p,
					    struct safe_read *reader,
					    const struct python_stack *stack,
					    bool afresh, bool calm)
{
	struct chain_reading r = { .to = p,
				   .calm = calm && p->lasting,
				   .whole = afresh || p->whole,
				   .reader = reader,
				   .stack = stack,
				   .layout = python_layout };
	enum python_read how = PYTHON_TORN;

	p->read = p->same = p->seam = 0;
	p->now = p->fresh;
	p->cut = p->unmarked = p->guessed = false;
	if (!p->known)
		return PYTHON_READ;
	read_ahead(&r);
	if (read_known_interpreters(&r, afresh)) {
		/* A state in use by another thread may change while we read. */
		r.calm = r.calm && !marks_lie_elsewhere(&r, 0);
		how = name_frames(&r, afresh);
	}
	if (how != PYTHON_READ)
		p->read = p->same = p->seam = 0;
	return how;
}

SIGSAFE static bool read_frame_pointer(struct safe_read *reader, uintptr_t at,
				       uintptr_t *to)
{
	return safe_read_copy(reader, to, at, sizeof(*to));
}

/* Is it the thread's?  Where the list may have changed: no, nor the next. */
SIGSAFE static bool is_own_state(struct safe_read *reader,
				 const struct python_stack *stack,
				 uintptr_t thread, bool *torn)
{
	const struct python_layout *layout = python_layout;
	uintptr_t id, frame = 0;

	*torn = !read_frame_pointer(reader, thread + layout->thread.id, &id) ||
		(layout->cframe.there &&
		 !read_frame_pointer(reader, thread + layout->thread.frame,
				     &frame));
	return !*torn && is_threads_own(stack, id, frame);
}

/* Of an interpreter; 0: it has none. */
SIGSAFE static uintptr_t find_thread(struct safe_read *reader,
				     const struct python_stack *stack,
				     uintptr_t interpreter)
{
	const struct python_layout *layout = python_layout;
	uintptr_t link = interpreter + layout->interpreter.threads, thread;
	bool torn = false;

	for (int i = 0; i < THREADS_MOST && !torn; i++) {
		if (!read_frame_pointer(reader, link, &thread) || !thread)
			return 0;
		if (is_own_state(reader, stack, thread, &torn))
			return thread;
		link = thread + layout->thread.next;
	}
	return 0;
}

/* One more state; true: it was not known. */
SIGSAFE static bool note_state(struct python_frames *p, uint32_t i,
			       const struct python_state *state)
{
	bool same = i < p->known && p->states[i].thread == state->thread &&
		    p->states[i].interpreter == state->interpreter;

	p->states[i] = *state;
	return !same;
}

/* Up to 3.10 one is known: functions are counted there. */
SIGSAFE static bool find_states(struct python_frames *p,
				struct safe_read *reader,
				const struct python_stack *stack)
{
	const struct python_layout *layout = python_layout;
	uintptr_t link = layout->runtime + layout->interpreter.heads;
	uint32_t found = 0, most = layout->frame.unit ? 1 : PYTHON_STATES;
	bool others = false;

	for (int i = 0; i < INTERPRETERS_MOST && found < most; i++) {
		struct python_state s;

		if (!read_frame_pointer(reader, link, &s.interpreter) ||
		    !s.interpreter)
			break;
		s.thread = find_thread(reader, stack, s.interpreter);
		s.gil = s.thread ? python_gil_find(reader, s.interpreter) : 0;
		if (s.thread)
			others |= note_state(p, found++, &s);
		link = s.interpreter + layout->interpreter.next;
	}
	others |= found != p->known;
	p->known = found;
	return others && found;
}

SIGSAFE bool python_frames_find(struct python_frames *p,
				struct safe_read *reader,
				const struct python_stack *stack)
{
	bool others;

	if (p->missed > MISSES && p->missed % MISS_EVERY) {
		p->missed++;
		return false;
	}
	others = find_states(p, reader, stack);
	if (!p->known)
		python_frames_forget(p);
	p->missed = p->known ? 0 : p->missed + 1;
	return others;
}

SIGSAFE void python_frames_keep(struct python_frames *p)
{
	struct python_frame *memo = p->memo;

	if (p->now == p->fresh) {
		p->memo = p->fresh;
		p->now = p->fresh = memo;
	}
	p->count = p->read;
	p->memo_seam = p->seam;
	p->memo_first = p->first;
	p->read = p->same = 0;
}

SIGSAFE uintptr_t python_frames_changed(struct python_frames *p)
{
	uintptr_t entry = 0;

	if (p->same < p->read)
		entry = python_frame_fresh(p, p->same)->entry;
	if (p->same < p->count && python_frame_memo(p, p->same)->entry > entry)
		entry = python_frame_memo(p, p->same)->entry;
	return entry;
}
