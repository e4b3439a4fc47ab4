/* SPDX-License-Identifier: BSD-3-Clause */
/* unwind.c - walking the stack, the memo of the last walk, known places. */
#include <link.h>
#include <string.h>

#include "arch/dwarf.h"
#include "arch/frame.h"
#include "arch/instructions.h"
#include "arch/registers.h"
#include "arch/signal-frame.h"
#include "base/sys.h"
#include "collect/registry.h"
#include "collect/time.h"
#include "collect/unwind/unwind.h"
#include "collect/unwind/loaded-object.h"

enum {
	PLACES_KEPT = 64, /* verified walks until they are read anew */
	WORD = sizeof(uintptr_t),
	MODULES_MOST = 8,   /* that are hidden, or passed */
	BEYOND_MOST = 64,   /* frames of libraries that call back */
	BEYOND_WORDS = 128, /* of the frame that a function begins with */
	FAR_MOST = 1 << 17, /* frames of a walk beyond the limit, … */
	FAR_SURE = 1024,    /* times as long, before one only confirms */
	FAR_ROOM = 2 * UNWIND_ROOTS,
};

/*
 * Mutable: link maps of adapters' libraries, and of those that are passed; each
 * set once.
 */
static struct modules {
	const void *maps[MODULES_MOST];
} adapters, passed;

static void add_code_module(struct modules *to, const void *code)
{
	struct loaded_object object;

	if (!loaded_object_find(&object, (const void *)code))
		return;
	for (int i = 0; i < MODULES_MOST; i++) {
		const void *none = NULL;

		if (__atomic_compare_exchange_n(&to->maps[i], &none, object.map,
						false, __ATOMIC_ACQ_REL,
						__ATOMIC_ACQUIRE) ||
		    none == object.map)
			return;
	}
}

SIGSAFE static bool is_among(const struct modules *modules, const void *map)
{
	for (int i = 0; i < MODULES_MOST; i++)
		if (__atomic_load_n(&modules->maps[i], __ATOMIC_ACQUIRE) == map)
			return true;
	return false;
}

void unwind_hide(const void *code)
{
	add_code_module(&adapters, code);
}

void unwind_pass(const void *code)
{
	add_code_module(&passed, code);
}

size_t unwind_size(uint32_t depth)
{
	return (3 * depth + UNWIND_ROOTS + FAR_ROOM) *
		       sizeof(struct unwind_frame) +
	       (UNWIND_PLACES + 1) * sizeof(struct unwind_place) + PEEK_SIZE +
	       python_frames_size(depth);
}

static void *align_place(void *at)
{
	uintptr_t unit = _Alignof(struct unwind_place);

	return (void *)(((uintptr_t)at + unit - 1) / unit * unit);
}

void unwind_init(struct unwinder *u, void *arrays, uint32_t depth)
{
	struct loaded_object self;

	u->depth = depth;
	u->floor = UINTPTR_MAX;
	u->memo = arrays;
	u->fresh = u->memo + 2 * depth + UNWIND_ROOTS;
	u->far = u->fresh + depth;
	u->places = align_place(u->far + FAR_ROOM);
	u->place_count = UNWIND_PLACES;
	u->reader.bytes = (void *)(u->places + UNWIND_PLACES);
	python_frames_init(&u->python, u->reader.bytes + PEEK_PAGES, depth);
	if (loaded_object_find(&self, unwind_path))
		u->hidden = self.map;
	unwind_forget(u);
}

void unwind_reuse(struct unwinder *u, uintptr_t low, uintptr_t high)
{
	u->low = low;
	u->high = u->sounded = high;
	python_frames_forget(&u->python);
	u->python.missed = 0;
	u->far_took_ns = 0;
	u->floor = UINTPTR_MAX;
	unwind_forget(u);
}

/*
 * Is it a place on the thread's own stack?  What was found readable once stays
 * so; of what lies deeper the kernel is asked: it may be the guard below the
 * stack, or, below the main thread's, not the stack at all.
 */
SIGSAFE static bool on_own_stack(struct unwinder *u, uintptr_t sp)
{
	if (sp >= u->sounded || sp < u->low)
		return sp >= u->sounded && sp < u->high;
	if (!safe_read_reaches(&u->reader, sp, u->sounded))
		return false;
	u->sounded = sp & ~(uintptr_t)(PEEK_PAGE - 1);
	return true;
}

/* Reading is allowed upwards from the red zone below sp. */
SIGSAFE static inline void open_window(struct unwinder *u, uintptr_t sp)
{
	u->window_own = on_own_stack(u, sp);
	u->window_low = sp - RED_ZONE;
	if (u->window_own && u->window_low < u->sounded)
		u->window_low = u->sounded;
}

SIGSAFE static bool read_stack_word(void *from, uintptr_t at, uintptr_t *to)
{
	struct unwinder *u = from;

	if (at & (WORD - 1) || at < u->window_low)
		return false;
	if (!u->window_own)
		return safe_read_copy(&u->reader, to, at, WORD);
	if (at > u->high - WORD)
		return false;
	*to = *(const volatile uintptr_t *)at;
	return true;
}

SIGSAFE static bool is_unchanged(const struct unwinder *u, uintptr_t slot,
				 uintptr_t value)
{
	return slot >= u->sounded && slot <= u->high - WORD &&
	       *(const volatile uintptr_t *)slot == value;
}

SIGSAFE static bool is_return_unchanged(const struct unwinder *u,
					const struct unwind_frame *f)
{
	uintptr_t slot = frame_return_slot(&f->returns, f->at.sp);

	return slot >= u->sounded && slot <= u->high - WORD &&
	       frame_strip(*(const volatile uintptr_t *)slot) == f->at.pc;
}

/* How many frames of the memo, from the root, are as they were. */
SIGSAFE static uint32_t intact_frames(struct unwinder *u)
{
	uint32_t i;

	if (u->generation != registry_code_generation())
		unwind_forget(u);
	for (i = 0; i < u->count; i++) {
		const struct unwind_frame *f = &u->memo[i];

		if (f->exact || !is_return_unchanged(u, f) ||
		    (f->fp_slot && !is_unchanged(u, f->fp_slot, f->at.fp)) ||
		    (f->word_slot && !is_unchanged(u, f->word_slot, f->word)))
			break;
	}
	return i;
}

/* Until when is what is known of a place true? */
SIGSAFE static uint32_t generation_of(const struct unwind_place *place)
{
	return place->lasting ? registry_generation()
			      : registry_code_generation();
}

/*
 * What is known of one pc, as of another that has its rule; in an order that a
 * longjmp may cut off.
 */
SIGSAFE static void copy_place(struct unwind_place *to,
			       const struct unwind_place *from, uintptr_t pc)
{
	struct unwind_place copy = *from;

	copy.generation = 0;
	copy.era = 0; /* it has another node */
	copy.pc = pc;
	copy.offset += pc - from->pc;
	to->generation = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	*to = copy;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	to->generation = from->generation;
}

/*
 * Samples meet the same loops at ever other instructions: what is known of one
 * is true for the others that have its rule.  Not of return addresses, whose
 * rule may be of the place behind a call.
 */
SIGSAFE static bool find_place_by_rule(const struct unwinder *u,
				       struct unwind_place *place, uintptr_t pc)
{
	for (int i = 0; i < UNWIND_ROWS; i++) {
		const struct unwind_place *row = &u->rows[i];

		if (pc < row->rule.low || pc >= row->rule.high ||
		    !row->generation || row->generation != generation_of(row))
			continue;
		copy_place(place, row, pc);
		return true;
	}
	return false;
}

/* The linker's; none where nothing is marked UNWIND_SHOWN. */
extern const char __start_copse_shown[]
	__attribute__((weak, visibility("hidden")));
extern const char __stop_copse_shown[]
	__attribute__((weak, visibility("hidden")));

SIGSAFE static bool is_shown(uintptr_t pc)
{
	return pc >= (uintptr_t)__start_copse_shown &&
	       pc < (uintptr_t)__stop_copse_shown;
}

/* Do handlers return there, where no information says so? */
SIGSAFE static bool ends_handlers(struct unwinder *u, uintptr_t pc)
{
	uint8_t code[SIGNAL_FRAME_RETURN_SIZE + 1];

	return SIGNAL_FRAME_RETURN_SIZE > 0 &&
	       safe_read_copy(&u->reader, code, pc, SIGNAL_FRAME_RETURN_SIZE) &&
	       signal_frame_returns(code);
}

/* What is to be known of the code around `look`.  False: not now. */
SIGSAFE static bool describe_code(struct unwinder *u,
				  struct unwind_place *place, uintptr_t look,
				  const struct loaded_object *object)
{
	uint32_t generation = registry_code_generation();
	uintptr_t pc = place->pc;
	struct registry_module module;
	struct safe_read *reader;

	if (!registry_module(&module, object, &u->reader))
		return false;
	place->hidden =
		object->map == u->hidden || is_among(&adapters, object->map);
	place->passed = place->hidden || is_among(&passed, object->map);
	place->hidden = place->hidden && !is_shown(look);
	place->python = python_layout && object->map == python_layout->map;
	place->loop = place->python &&
		      look - python_layout->loop < python_layout->loop_size;
	place->lasting = module.lasting;
	place->kind = look == pc ? LIVE_NODE_PC : LIVE_NODE_CALL;
	place->owner = module.index;
	place->offset = pc - module.base;
	reader = module.lasting ? NULL : &u->reader;
	cfi_find(&place->rule, look, object, reader, CFI_NO_REGISTER);
	/* A return to where nobody called from: a coroutine's end. */
	if (look != pc && place->rule.cfa == CFI_NONE)
		cfi_find(&place->rule, pc, object, reader, CFI_NO_REGISTER);
	if (place->rule.cfa == CFI_NONE && ends_handlers(u, pc))
		place->rule.cfa = CFI_SIGNAL;
	place->generation = module.lasting ? registry_generation() : generation;
	return true;
}

/*
 * What a pc is.  Code of no module is not remembered: it comes and goes
 * without a word.  False: not now.
 */
SIGSAFE static bool describe_place(struct unwinder *u,
				   struct unwind_place *place, uintptr_t pc,
				   bool exact)
{
	uintptr_t look = exact ? pc : pc - 1;
	struct loaded_object object;

	if (exact && find_place_by_rule(u, place, pc))
		return true;
	*place = (struct unwind_place){ .pc = pc,
					.kind = LIVE_NODE_ADDRESS,
					.offset = pc };
	switch (loaded_object_look(&object, look)) {
	case LOADED_NONE:
		if (ends_handlers(u, pc))
			place->rule.cfa = CFI_SIGNAL;
		return true;
	case LOADED_CHANGES:
		return false;
	case LOADED_FOUND:
		break;
	}
	if (!describe_code(u, place, look, &object))
		return false;
	if (exact)
		copy_place(&u->rows[++u->row % UNWIND_ROWS], place, pc);
	return true;
}

SIGSAFE static struct unwind_place *slot_of(const struct unwinder *u,
					    uintptr_t pc)
{
	return &u->places[(pc * 0x9e3779b97f4a7c15u >> 40) &
			  (u->place_count - 1)];
}

/*
 * Programs that are a thousand functions wide, as frameworks are, look up the
 * same rules again and again in tables of many megabytes: some microseconds
 * each.  The first table is the thread's; those after it are mapped.
 */
SIGSAFE static void grow_places(struct unwinder *u)
{
	struct unwind_place *old = u->places;
	uint32_t count = u->place_count, more = 4 * count;
	struct unwind_place *bigger = sys_memory((uint64_t)more * sizeof(*old));

	u->displaced = 0;
	if (!bigger)
		return;
	u->places = bigger;
	u->place_count = more;
	for (uint32_t i = 0; i < count; i++)
		if (old[i].generation)
			*slot_of(u, old[i].pc) = old[i];
	if (count > UNWIND_PLACES)
		sys2(SYS_munmap, old, count * sizeof(*old));
}

/* What is known about a pc; NULL: not now. */
SIGSAFE static struct unwind_place *place_of_pc(struct unwinder *u,
						uintptr_t pc, bool exact)
{
	struct unwind_place *place = slot_of(u, pc);
	uint32_t kind = exact ? LIVE_NODE_PC : LIVE_NODE_CALL;

	if (place->pc == pc && place->generation == generation_of(place) &&
	    place->kind == kind)
		return place;
	if (place->generation && place->pc != pc &&
	    ++u->displaced > 2 * u->place_count &&
	    u->place_count < UNWIND_PLACES_MOST) {
		grow_places(u);
		place = slot_of(u, pc);
	}
	return describe_place(u, place, pc, exact) ? place : NULL;
}

/*
 * Code without information, as a just-in-time compiler's: it may keep frame
 * pointers.  Believed only where they point up the stack.
 */
SIGSAFE static bool step_by_frame_pointer(struct unwinder *u,
					  const struct cfi_frame *at,
					  struct unwind_frame *to)
{
	uintptr_t fp, pc;

	if (at->fp < at->sp ||
	    !read_stack_word(u, at->fp + FRAME_FP * WORD, &fp) ||
	    !read_stack_word(u, at->fp + FRAME_PC * WORD, &pc) || !pc ||
	    (fp && fp <= at->fp))
		return false;
	pc = frame_strip(pc);
	to->at = (struct cfi_frame){ pc, at->fp + FRAME_SP * WORD, fp };
	frame_return_keep(&to->returns, to->at.sp, at->fp + FRAME_PC * WORD);
	frame_return_loosen(&to->returns);
	to->fp_slot = at->fp + FRAME_FP * WORD;
	return true;
}

/* A signal frame: sp points to the context that will be restored. */
SIGSAFE static bool read_context(struct unwinder *u, uintptr_t sp,
				 unsigned int reg, uintptr_t *to)
{
	const ucontext_t *context = (const ucontext_t *)signal_frame_left(sp);

	return read_stack_word(
		u, (uintptr_t)registers_place(&context->uc_mcontext, reg), to);
}

SIGSAFE static bool step_by_signal_context(struct unwinder *u,
					   const struct cfi_frame *at,
					   struct unwind_frame *to)
{
	struct cfi_frame *next = &to->at;

	if (!read_context(u, at->sp, DWARF_PC, &next->pc) ||
	    !read_context(u, at->sp, DWARF_SP, &next->sp) ||
	    !read_context(u, at->sp, DWARF_FP, &next->fp))
		return false;
	to->exact = true;
	if (next->sp <= at->sp || !u->window_own || !on_own_stack(u, next->sp))
		open_window(u, next->sp);
	return true;
}

SIGSAFE static void find_saving_rule(struct unwinder *u,
				     const struct unwind_frame *f,
				     unsigned int reg, struct cfi_rule *rule)
{
	uintptr_t look = f->exact ? f->at.pc : f->at.pc - 1;
	struct loaded_object object;
	struct registry_module module;

	*rule = (struct cfi_rule){ .cfa = CFI_NONE };
	if (loaded_object_find(&object, (const void *)look) &&
	    registry_module(&module, &object, &u->reader))
		cfi_find(rule, look, &object,
			 module.lasting ? NULL : &u->reader, reg);
	if (rule->cfa == CFI_NONE && ends_handlers(u, f->at.pc))
		rule->cfa = CFI_SIGNAL;
}

/*
 * The value that a register had at the frame `i` of `path`, which begins with
 * the leaf: it is where the nearest callee saved it, at last in the context.
 */
SIGSAFE static bool register_at(struct unwinder *u,
				const struct unwind_frame *path, uint32_t i,
				unsigned int reg, uintptr_t *to)
{
	while (i-- > 0) {
		const struct cfi_frame *callee = &path[i].at;
		uintptr_t cfa = path[i + 1].at.sp;
		struct cfi_rule rule;

		find_saving_rule(u, &path[i], reg, &rule);
		if (rule.cfa == CFI_SIGNAL)
			return read_context(u, callee->sp, reg, to);
		if (rule.cfa <= CFI_END || !dwarf_is_kept(reg))
			return false;
		if (rule.other.where == CFI_AT_CFA)
			return read_stack_word(
				u, cfa + (uintptr_t)(intptr_t)rule.other.offset,
				to);
		if (rule.other.where == CFI_AT_FP)
			return read_stack_word(
				u,
				callee->fp +
					(uintptr_t)(intptr_t)rule.other.offset,
				to);
		if (rule.other.where != CFI_SAME)
			return false;
	}
	if (u->registers)
		*to = *(const uintptr_t *)registers_place(u->registers, reg);
	return u->registers;
}

struct walk {
	struct unwind_frame *path; /* frames walked, leaf first */
	uint32_t count;
	uint32_t kept;  /* frames of the memo that the walk met */
	uint32_t valid; /* of those that it could meet */
	int why;        /* COMPLETE or an enum loss */
	bool joined;    /* with the kept frames, over others */
	bool elsewhere; /* left the thread's own stack: not for the memo */
	bool python;    /* met the interpreter's code */
};

/* Where the stack pointer is not known, the frame pointer points to the word
 * that its caller's was saved in. */
SIGSAFE static bool is_found_by_fp(const struct walk *w,
				   const struct cfi_rule *rule)
{
	return frame_return_is_loose(&w->path[w->count - 1].returns) &&
	       rule->cfa == CFI_SP && rule->fp.where == CFI_AT_CFA;
}

SIGSAFE static bool cfa_of(struct unwinder *u, const struct walk *w,
			   const struct cfi_rule *rule, uintptr_t *cfa,
			   struct unwind_frame *to)
{
	const struct cfi_frame *at = &w->path[w->count - 1].at;
	bool ok = true;

	if (is_found_by_fp(w, rule)) {
		*cfa = at->fp - (uintptr_t)(intptr_t)rule->fp.offset;
		return true;
	}
	if (rule->cfa == CFI_SP) {
		*cfa = at->sp;
	} else if (rule->cfa == CFI_FP) {
		*cfa = at->fp;
	} else if (rule->cfa == CFI_REGISTER) {
		to->alone = true;
		ok = register_at(u, w->path, w->count - 1, rule->cfa_register,
				 cfa);
	} else {
		ok = cfi_evaluate(rule, at, read_stack_word, u, cfa,
				  &to->word_slot) &&
		     (!to->word_slot ||
		      read_stack_word(u, to->word_slot, &to->word));
	}
	*cfa += (uintptr_t)(intptr_t)rule->cfa_offset;
	return ok;
}

/* A register of the caller; *slot: the word that it came from, 0: none. */
SIGSAFE static bool caller_value(struct unwinder *u, const struct walk *w,
				 const struct cfi_saved *saved, uintptr_t cfa,
				 uintptr_t *slot, uintptr_t *value)
{
	uintptr_t offset = (uintptr_t)(intptr_t)saved->offset;

	switch (saved->where) {
	case CFI_SAME:
		return true;
	case CFI_AT_CFA:
		*slot = cfa + offset;
		return read_stack_word(u, *slot, value);
	case CFI_AT_FP:
		*slot = w->path[w->count - 1].at.fp + offset;
		return read_stack_word(u, *slot, value);
	case CFI_IN_REGISTER:
		return offset < DWARF_REGISTERS &&
		       register_at(u, w->path, w->count - 1,
				   (unsigned int)offset, value);
	default:
		*value = 0;
		return true;
	}
}

SIGSAFE static bool step_by_rule(struct unwinder *u, const struct walk *w,
				 const struct cfi_rule *rule,
				 struct unwind_frame *to)
{
	const struct unwind_frame *from = &w->path[w->count - 1];
	uintptr_t cfa, pc_slot = 0;

	to->at.fp = from->at.fp;
	if (!cfa_of(u, w, rule, &cfa, to) || cfa < from->at.sp ||
	    (cfa == from->at.sp && !from->exact) ||
	    !caller_value(u, w, &rule->pc, cfa, &pc_slot, &to->at.pc) ||
	    !caller_value(u, w, &rule->fp, cfa, &to->fp_slot, &to->at.fp))
		return false;
	to->at.pc = frame_strip(to->at.pc);
	to->at.sp = cfa;
	to->alone |= !frame_return_keep(&to->returns, cfa, pc_slot) ||
		     rule->fp.where == CFI_IN_REGISTER;
	return true;
}

/* Where the jump of a linkage table's entry at `code` leads. */
SIGSAFE static uintptr_t linked_target(struct unwinder *u, uintptr_t code)
{
	uint8_t bytes[LINKAGE_SIZE];
	uintptr_t slot, to = 0;

	if (safe_read_copy(&u->reader, bytes, code, sizeof(bytes)) &&
	    instructions_linkage(bytes, sizeof(bytes), code, &slot))
		safe_read_copy(&u->reader, &to, slot, WORD);
	return to;
}

/*
 * Is `pc` where a call of the function returns to?  The functions that throw
 * put the handler's address there before they go, and other frames' registers
 * where they saved their caller's; from then on no walk is true.  A call by a
 * register is believed.
 */
SIGSAFE static bool returns_from(struct unwinder *u, uintptr_t function,
				 uintptr_t pc)
{
	uint8_t code[CALL_SIZE];
	uintptr_t to = 0;

	if (!safe_read_copy(&u->reader, code, pc - CALL_SIZE, CALL_SIZE))
		return false;
	switch (instructions_call_before(code, pc, &to)) {
	case CALL_DIRECT:
		return to == function || linked_target(u, to) == function;
	case CALL_SLOT:
		return safe_read_copy(&u->reader, &to, to, WORD) &&
		       to == function;
	case CALL_REGISTER:
		return true;
	default:
		return false;
	}
}

enum outcome {
	STEPPED = -2,
	COMPLETE = -1
}; /* else: an enum loss */

/* The word `offset` bytes above the stack pointer returns. */
SIGSAFE static bool read_return(struct unwinder *u, const struct walk *w,
				intptr_t offset, struct unwind_frame *to)
{
	uintptr_t sp = w->path[w->count - 1].at.sp;
	uintptr_t slot = sp + (uintptr_t)offset;

	if (!read_stack_word(u, slot, &to->at.pc))
		return false;
	to->at.pc = frame_strip(to->at.pc);
	to->alone |= !frame_return_keep(&to->returns, to->at.sp, slot);
	return true;
}

/* A register does, as where a function begins on some processors. */
SIGSAFE static bool take_return(struct unwinder *u, const struct walk *w,
				struct unwind_frame *to)
{
	to->alone = true;
	if (!register_at(u, w->path, w->count - 1, DWARF_RETURN, &to->at.pc))
		return false;
	to->at.pc = frame_strip(to->at.pc);
	return true;
}

/*
 * Code without information that every program has: what the C library's start
 * files put at the beginning of each module's .init.  A library's start finds
 * its first page missing there.
 */
SIGSAFE static bool at_init(struct unwinder *u, const struct walk *w,
			    struct unwind_frame *to)
{
	const struct unwind_frame *from = &w->path[w->count - 1];
	uint8_t code[INIT_SIZE];

	if (!from->exact ||
	    !safe_read_copy(&u->reader, code, from->at.pc, sizeof(code)) ||
	    !instructions_init(code))
		return false;
	to->at.sp = from->at.sp + FRAME_PUSHED;
	to->at.fp = from->at.fp;
	return (FRAME_PUSHED > 0 ? read_return(u, w, 0, to)
				 : take_return(u, w, to)) &&
	       returns_from(u, from->at.pc, to->at.pc);
}

/* The dynamic loader begins there, in code without information. */
SIGSAFE static bool at_stack_end(const struct unwinder *u, uintptr_t sp)
{
	return sp <= u->high && sp >= u->high / STACK_ALIGN * STACK_ALIGN;
}

/*
 * Code without information that does no more than call, as trampolines do: what
 * it has still to do leads to its return.
 */
SIGSAFE static bool step_by_epilogue(struct unwinder *u, const struct walk *w,
				     struct unwind_frame *to)
{
	const struct cfi_frame *at = &w->path[w->count - 1].at;
	enum {
		BYTES = 24
	};
	size_t size = PAGE_SMALLEST - at->pc % PAGE_SMALLEST;
	uint8_t code[BYTES];
	struct epilogue e;

	if (size > BYTES)
		size = BYTES;
	if (!safe_read_copy(&u->reader, code, at->pc, size) ||
	    !instructions_epilogue(code, size, &e) || e.pc < 0)
		return false;
	to->at.sp = at->sp + (uintptr_t)e.sp;
	to->at.fp = at->fp;
	if (!(e.pc_saved ? read_return(u, w, e.pc, to)
			 : take_return(u, w, to)) ||
	    !to->at.pc)
		return false;
	if (!e.fp_saved)
		return true;
	to->fp_slot = at->sp + (uintptr_t)e.fp;
	return read_stack_word(u, to->fp_slot, &to->at.fp);
}

SIGSAFE static int step_without_rule(struct unwinder *u, const struct walk *w,
				     struct unwind_frame *to)
{
	const struct unwind_frame *from = &w->path[w->count - 1];

	if (at_stack_end(u, from->at.sp))
		return COMPLETE;
	return at_init(u, w, to) || step_by_epilogue(u, w, to) ||
			       step_by_frame_pointer(u, &from->at, to)
		       ? STEPPED
		       : LOSS_PARTIAL_CODE;
}

/* From the last frame of the walk to its caller. */
SIGSAFE static int step_to_caller(struct unwinder *u, const struct walk *w,
				  const struct cfi_rule *rule,
				  struct unwind_frame *to)
{
	const struct unwind_frame *from = &w->path[w->count - 1];

	*to = (struct unwind_frame){ 0 };
	switch (rule->cfa) {
	case CFI_END:
		return COMPLETE;
	case CFI_NONE:
		return step_without_rule(u, w, to);
	case CFI_BAD:
		return LOSS_PARTIAL_RULE;
	case CFI_SIGNAL:
		return step_by_signal_context(u, &from->at, to)
			       ? STEPPED
			       : LOSS_PARTIAL_STACK;
	default:
		if (!step_by_rule(u, w, rule, to))
			return LOSS_PARTIAL_STACK;
		if (rule->rewrites &&
		    !returns_from(u, rule->function, to->at.pc))
			return LOSS_PARTIAL_RULE;
		return to->at.pc ? STEPPED : COMPLETE;
	}
}

/*
 * Does the walk meet the memo?  sp falls from the root (index 0) to the leaf;
 * *from remembers where the last look ended.
 */
SIGSAFE static bool meets_memo(const struct unwinder *u, uint32_t *from,
			       uint32_t valid, const struct unwind_frame *frame)
{
	const struct unwind_frame *f;

	while (*from && u->memo[*from - 1].at.sp < frame->at.sp)
		--*from;
	if (!*from || *from - 1 > valid)
		return false;
	f = &u->memo[*from - 1];
	return f->at.sp == frame->at.sp && f->at.pc == frame->at.pc &&
	       f->at.fp == frame->at.fp && f->exact == frame->exact;
}

/* From the last frame of the walk to its caller, where paths have one. */
SIGSAFE static int step_within(struct unwinder *u, struct walk *w,
			       struct unwind_frame *to)
{
	const struct unwind_frame *last = &w->path[w->count - 1];
	const struct unwind_place *place =
		place_of_pc(u, last->at.pc, last->exact);
	int how;

	w->python |= place && place->python;
	how = place ? step_to_caller(u, w, &place->rule, to)
		    : LOSS_DROPPED_BUSY;
	if (how == STEPPED && to->at.sp > u->floor && to->at.sp < u->high)
		how = COMPLETE;
	return how;
}

/*
 * Walk until the memo, of which `valid` frames are as they were, is met or the
 * path ends.
 */
SIGSAFE static void walk_to_memo(struct unwinder *u, struct walk *w,
				 const struct cfi_frame *top, bool exact,
				 uint32_t valid)
{
	struct unwind_frame frame = { .at = *top, .exact = exact };
	uint32_t from = valid ? u->count : 0;

	w->valid = valid;
	safe_read_forget(&u->reader);
	open_window(u, top->sp);
	for (;;) {
		/* Its return address lies below sp, but for the first. */
		w->elsewhere |=
			!on_own_stack(u, frame.at.sp - (w->count ? WORD : 0));
		if (meets_memo(u, &from, valid, &frame)) {
			/* It was reached by another way: keep today's words. */
			frame.node = u->memo[from - 1].node;
			u->memo[from - 1] = frame;
			w->kept = from;
			w->why = from <= u->seam ? COMPLETE : u->partial;
			return;
		}
		if (w->count == u->depth) {
			w->why = LOSS_PARTIAL_DEPTH;
			return;
		}
		w->path[w->count++] = frame;
		w->why = step_within(u, w, &frame);
		if (w->why != STEPPED)
			return;
	}
}

/*
 * One step beyond the limit: of what was walked there the last UNWIND_ROOTS
 * frames stay, at least.
 */
SIGSAFE static int step_far(struct unwinder *u, struct walk *far,
			    struct unwind_frame *to)
{
	int how;

	if (far->count == FAR_ROOM) {
		memcpy(far->path, far->path + UNWIND_ROOTS,
		       UNWIND_ROOTS * sizeof(*far->path));
		far->count = UNWIND_ROOTS;
	}
	how = step_within(u, far, to);
	if (how == STEPPED && !on_own_stack(u, to->at.sp - WORD))
		how = LOSS_PARTIAL_STACK;
	if (how == STEPPED)
		far->path[far->count++] = *to;
	return how;
}

/* What was in registers is not to be known any more. */
SIGSAFE static void begin_far_walk(struct unwinder *u, struct walk *far,
				   const struct walk *w)
{
	u->registers = NULL;
	*far = (struct walk){ .path = u->far, .count = 1 };
	far->path[0] = w->path[w->count - 1];
}

/*
 * On to the root, or to one of `valid` frames of the memo.  The memo is then
 * what is nearest to the root; returns how many of its frames, 0: none.
 */
SIGSAFE static uint32_t walk_to_root(struct unwinder *u, const struct walk *w,
				     uint32_t valid)
{
	uintptr_t end = w->path[w->count - 1].at.sp;
	uint32_t from = valid, kept = 0;
	struct unwind_frame frame;
	struct walk far;
	int how = STEPPED;

	begin_far_walk(u, &far, w);
	for (int i = 0; i < FAR_MOST && how == STEPPED && !kept; i++) {
		how = step_far(u, &far, &frame);
		if (how == STEPPED && meets_memo(u, &from, valid, &frame))
			kept = from;
	}
	if (!kept && how != COMPLETE)
		return 0;
	for (uint32_t i = far.count - (kept > 0);
	     i-- > 0 && kept < UNWIND_ROOTS && far.path[i].at.sp > end &&
	     !far.path[i].alone;)
		u->memo[kept++] = far.path[i];
	u->count = kept;
	u->seam = 0;
	u->generation = registry_code_generation();
	return kept;
}

/* Walks to the root have a share of the time, whatever is found. */
SIGSAFE static uint32_t
walk_to_root_in_time(struct unwinder *u, const struct walk *w, uint32_t valid)
{
	uint64_t start = time_now(CLOCK_THREAD_CPUTIME_ID);
	uint64_t times = valid < UNWIND_ROOTS ? u->far_times : FAR_SURE;
	uint32_t found;

	if (start - u->far_last_ns < times * u->far_took_ns)
		return 0;
	found = walk_to_root(u, w, valid);
	u->far_took_ns = time_now(CLOCK_THREAD_CPUTIME_ID) - start;
	u->far_last_ns = start;
	u->far_ns += u->far_took_ns;
	return found;
}

/* Functions of Python are told by all frames. */
SIGSAFE static bool can_join(const struct unwinder *u)
{
	return (u->partial == COMPLETE || u->partial == LOSS_JOINED_DEPTH) &&
	       !(python_layout && u->python.read);
}

/*
 * A walk that came to its limit on the thread's own stack goes on at the frames
 * of the memo, nearest to the root, which are as they were.
 */
SIGSAFE static void join_memo(struct unwinder *u, struct walk *w)
{
	uintptr_t end = w->path[w->count - 1].at.sp;
	uint32_t valid = u->seam && u->seam < w->valid ? u->seam : w->valid;
	uint32_t found;

	if (w->elsewhere || w->python || !can_join(u))
		return;
	if (valid > UNWIND_ROOTS)
		valid = UNWIND_ROOTS;
	while (valid && u->memo[valid - 1].at.sp <= end)
		valid--;
	found = walk_to_root_in_time(u, w, valid);
	w->kept = found ? found : valid;
	w->joined = w->kept;
	if (w->joined)
		w->why = LOSS_JOINED_DEPTH;
}

/* In an order that a longjmp may cut off. */
SIGSAFE static void keep_node(const struct unwinder *u,
			      struct unwind_place *place, live_ref parent,
			      live_ref node)
{
	place->era = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	place->parent = parent;
	place->node = node;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	place->era = u->era;
}

/* The node of code that is called from its parent; 0 and *why: none. */
SIGSAFE static live_ref insert_node(struct unwinder *u, struct tree *tree,
				    live_ref parent, struct unwind_place *place,
				    int *why)
{
	live_ref node;

	if (!place) {
		*why = LOSS_DROPPED_BUSY;
		return 0;
	}
	if (place->hidden)
		return parent;
	if (place->era == u->era && place->parent == parent)
		return place->node;
	node = tree_child(tree, parent, place->kind, place->owner,
			  place->offset);
	if (!node)
		*why = LOSS_DROPPED_FULL;
	else
		keep_node(u, place, parent, node);
	return node;
}

/* How many functions of Python the path has. */
SIGSAFE static uint32_t python_count(const struct unwinder *u)
{
	return python_layout ? u->python.read : 0;
}

/* The next function of Python has its mark there, or nearer to the root. */
SIGSAFE static bool runs_python(struct unwinder *u, uint32_t next, uintptr_t sp)
{
	return next < python_count(u) &&
	       python_frame_fresh(&u->python, next)->entry >= sp;
}

/*
 * Functions of Python stand in place of the interpreter's frames; `runs`: the
 * frame runs some of them.
 */
SIGSAFE static bool is_folded(const struct unwind_place *place, bool runs)
{
	return place && !python_layout->full &&
	       (runs || place->loop || (place->python && python_layout->alone));
}

/* The walk's frame of that number from the leaf, or the memo's behind it. */
SIGSAFE static bool is_of_python(struct unwinder *u, const struct walk *w,
				 uint32_t i)
{
	const struct unwind_place *place = NULL;

	if (i < w->count)
		place = place_of_pc(u, w->path[i].at.pc, w->path[i].exact);
	else if (w->kept)
		place = place_of_pc(u, u->memo[w->kept - 1].at.pc,
				    u->memo[w->kept - 1].exact);
	return place &&
	       (place->loop || (place->python && python_layout->alone));
}

/* So is code without a file between frames of the interpreter: it made it. */
SIGSAFE static bool is_interpreters_own(struct unwinder *u,
					const struct walk *w, uint32_t i,
					bool runs)
{
	const struct unwind_place *place =
		place_of_pc(u, w->path[i].at.pc, w->path[i].exact);

	if (!place || place->kind != LIVE_NODE_ADDRESS)
		return is_folded(place, runs);
	return !python_layout->full && i && is_of_python(u, w, i - 1) &&
	       is_of_python(u, w, i + 1);
}

/* The node for what is left out, below the frames that are joined. */
SIGSAFE static live_ref insert_joined(struct tree *tree, live_ref node,
				      int *why)
{
	node = tree_child(tree, node, LIVE_NODE_PARTIAL, LOSS_JOINED_DEPTH, 0);
	if (!node)
		*why = LOSS_DROPPED_FULL;
	else if (*why == COMPLETE)
		*why = LOSS_JOINED_DEPTH;
	return node;
}

/* Those functions, below a node. */
SIGSAFE static live_ref insert_python(struct unwinder *u, struct tree *tree,
				      live_ref node, uint32_t *next,
				      uintptr_t sp, int *why)
{
	for (; node && runs_python(u, *next, sp); ++*next) {
		struct python_frame *f = python_frame_fresh(&u->python, *next);
		bool known;

		if (*next && *next == u->python.seam)
			node = insert_joined(tree, node, why);
		known = *next < u->python.same && f->parent == node;
		f->parent = node;
		if (node && (!known || !f->node))
			f->node = tree_child(tree, node, LIVE_NODE_PYTHON,
					     f->name.index,
					     python_frame_offset(f));
		node = node ? f->node : 0;
		if (!node)
			*why = LOSS_DROPPED_FULL;
	}
	return node;
}

SIGSAFE static live_ref record_joined(struct unwinder *u, struct tree *tree,
				      const struct walk *w, int *why)
{
	live_ref node = tree->root;

	for (uint32_t i = 0; i < w->kept && node; i++) {
		struct unwind_frame *f = &u->memo[i];

		if (!f->node)
			f->node = insert_node(
				u, tree, node,
				place_of_pc(u, f->at.pc, f->exact), why);
		node = f->node;
	}
	return node ? insert_joined(tree, node, why) : 0;
}

/*
 * The node that the frames walked stand below; *next: the first function of
 * Python that is not above it.  What a walk did not reach of them is above.
 */
SIGSAFE static live_ref record_root(struct unwinder *u, struct tree *tree,
				    const struct walk *w, uint32_t *next,
				    int *why)
{
	live_ref node = tree->root;

	if (w->joined)
		return record_joined(u, tree, w, why);
	if (w->kept) {
		while (runs_python(u, *next, u->memo[w->kept - 1].at.sp))
			++*next;
		return u->memo[w->kept - 1].node;
	}
	if (w->why < 0) {
		while (runs_python(u, *next, u->floor))
			++*next; /* it is above the region */
		return node;
	}
	node = tree_child(tree, node, LIVE_NODE_PARTIAL, (uint32_t)w->why, 0);
	if (!node)
		*why = LOSS_DROPPED_FULL;
	if (!w->count)
		return node;
	return insert_python(u, tree, node, next, w->path[w->count - 1].at.sp,
			     why);
}

/* The node of the path walked; *why as for unwind_path(). */
SIGSAFE static live_ref record_path(struct unwinder *u, struct tree *tree,
				    struct walk *w, int *why)
{
	const bool python = python_count(u);
	uint32_t next = 0;
	live_ref node;

	*why = w->why;
	if (w->why == LOSS_DROPPED_BUSY)
		return 0;
	node = record_root(u, tree, w, &next, why);
	for (uint32_t i = w->count; i-- > 0 && node;) {
		struct unwind_frame *f = &w->path[i];

		if (!python || !is_interpreters_own(
				       u, w, i, runs_python(u, next, f->at.sp)))
			node = insert_node(u, tree, node,
					   place_of_pc(u, f->at.pc, f->exact),
					   why);
		if (python)
			node = insert_python(u, tree, node, &next, f->at.sp,
					     why);
		f->node = node;
	}
	return node;
}

/* What of the path walked can be met again, from the root. */
SIGSAFE static void memorize_path(struct unwinder *u, const struct walk *w)
{
	uint32_t i = w->count;

	u->count = w->kept;
	if (w->joined)
		u->seam = w->kept;
	else if (w->kept <= u->seam)
		u->seam = 0;
	if (python_layout)
		python_frames_keep(&u->python);
	if (w->elsewhere || w->why == LOSS_PARTIAL_DEPTH ||
	    w->why == LOSS_PARTIAL_PYTHON)
		i = 0;
	while (i-- > 0 && w->path[i].node && !w->path[i].alone)
		u->memo[u->count++] = w->path[i];
	u->partial = u->count ? w->why : -1;
	u->generation = registry_code_generation();
}

SIGSAFE static struct python_stack stack_of_thread(const struct unwinder *u)
{
	return (struct python_stack){ u->sounded, u->high,
				      u->thread ? u->thread
						: registers_thread() };
}

/*
 * The functions of Python of now, and then how many frames of the memo hold
 * beside them: none that they are called from where they changed.
 */
SIGSAFE static uint32_t follow_python(struct unwinder *u, bool afresh,
				      bool calm, uint32_t valid,
				      enum python_read *how)
{
	struct python_frames *p = &u->python;
	struct python_stack stack = stack_of_thread(u);
	uintptr_t changed;
	uint32_t hold = 0;

	*how = python_frames_read(p, &u->reader, &stack, afresh, calm);
	if (*how != PYTHON_READ || p->cut || !p->read != !p->count)
		return 0;
	changed = python_frames_changed(p);
	if (!changed)
		return valid;
	while (hold < u->count && u->memo[hold].at.sp > changed)
		hold++;
	hold -= hold > 0;
	return hold < valid ? hold : valid;
}

/* Of a path that is deeper than what is known of Python, only that is kept. */
SIGSAFE static void settle_python(struct unwinder *u, struct walk *w,
				  enum python_read how)
{
	struct python_frames *p = &u->python;

	if (how == PYTHON_BUSY)
		w->why = LOSS_DROPPED_BUSY;
	else if (how == PYTHON_TORN && w->why == COMPLETE)
		w->why = LOSS_PARTIAL_PYTHON;
	if (!p->cut || p->seam)
		return;
	if (how == PYTHON_READ && w->why == COMPLETE)
		w->why = LOSS_PARTIAL_DEPTH;
	while (p->read && w->count > 1 &&
	       w->path[w->count - 1].at.sp > python_frame_fresh(p, 0)->entry)
		w->count--;
}

SIGSAFE static bool is_place_of_loop(struct unwinder *u,
				     const struct unwind_frame *f)
{
	const struct unwind_place *place = place_of_pc(u, f->at.pc, f->exact);

	return place && place->loop;
}

/* A call of the interpreter's loop runs nothing that is known, or what is not
   one runs what is to be confirmed. */
SIGSAFE static bool has_other_loop(struct unwinder *u, const struct walk *w)
{
	uint32_t next = 0;

	while (w->kept && runs_python(u, next, u->memo[w->kept - 1].at.sp))
		next++;
	for (uint32_t i = w->count; i-- > 0;) {
		uint32_t before = next;

		while (runs_python(u, next, w->path[i].at.sp))
			next++;
		if (next == before ? is_place_of_loop(u, &w->path[i])
				   : u->python.guessed &&
					     !is_place_of_loop(u, &w->path[i]))
			return true;
	}
	return false;
}

/* What was guessed cannot be confirmed. */
SIGSAFE static bool is_guess_refuted(struct unwinder *u, const struct walk *w)
{
	struct python_frames *p = &u->python;

	p->whole = p->guessed && (w->why != COMPLETE || has_other_loop(u, w));
	return p->whole;
}

/* The walk met the interpreter: is there state of the thread, or another? */
SIGSAFE static bool meets_python(struct unwinder *u, const struct walk *w)
{
	struct python_stack stack = stack_of_thread(u);

	return w->python &&
	       (!u->python.read ||
		(python_has_others() && has_other_loop(u, w))) &&
	       python_frames_find(&u->python, &u->reader, &stack);
}

/*
 * What is deeper than there is room for is cut where a full walk cuts it, or
 * below the frames that it can be joined with.
 */
SIGSAFE static void walk_anew(struct unwinder *u, struct walk *w,
			      const struct cfi_frame *top, bool exact,
			      uint32_t valid)
{
	uint32_t most = u->depth, roots = can_join(u) ? UNWIND_ROOTS - 1 : 0;

	*w = (struct walk){ .path = u->fresh };
	walk_to_memo(u, w, top, exact, valid);
	if (w->why == LOSS_JOINED_DEPTH)
		most = 2 * u->depth;
	if (w->kept > roots && w->kept + w->count > most) {
		*w = (struct walk){ .path = u->fresh };
		walk_to_memo(u, w, top, exact, valid < roots ? valid : roots);
	}
}

/*
 * Does the walk tell all frames from the root on?  Else they are told from the
 * leaf, and nothing is kept of it.
 */
SIGSAFE static bool is_rooted(const struct unwinder *u, const struct walk *w)
{
	return !u->python.cut &&
	       (w->kept || (w->why == COMPLETE && u->floor == UINTPTR_MAX));
}

/* How many functions of Python the kept frames run: they are as they were. */
SIGSAFE static uint32_t kept_python(struct unwinder *u, const struct walk *w)
{
	uint32_t next = 0;

	while (w->kept && next < u->python.same &&
	       runs_python(u, next, u->memo[w->kept - 1].at.sp))
		next++;
	return next;
}

/* The first function is run where it was run when all were known. */
SIGSAFE static bool is_anchored(struct python_frames *p)
{
	const struct python_frame *a = python_frame_fresh(p, 0);
	const struct python_frame *b = python_frame_memo(p, 0);

	return p->count && a->at == b->at && a->entry == b->entry;
}

/* That frame of the walk runs that function: its mark is as it was before. */
SIGSAFE static void mark_frame(struct unwinder *u, const struct walk *w,
			       uint32_t i, uint32_t function)
{
	struct python_frames *p = &u->python;
	struct python_frame *f = python_frame_fresh(p, function);
	const struct python_frame *m = python_frame_memo(p, function);
	uintptr_t low = w->path[i].at.sp, high = u->high;

	if (i + 1 < w->count)
		high = w->path[i + 1].at.sp;
	else if (w->kept)
		high = u->memo[w->kept - 1].at.sp;
	f->entry = function < p->count && m->at == f->at && m->entry >= low &&
				   m->entry < high
			   ? m->entry
			   : low;
}

/*
 * Each call of the interpreter's loop runs one function.  One call more, the
 * last, is about to begin with its function, or has left it: that is known
 * where the first function stands where it stood.
 */
SIGSAFE static bool mark_from_root(struct unwinder *u, struct walk *w)
{
	struct python_frames *p = &u->python;
	uint32_t next = kept_python(u, w), more = 0;

	for (uint32_t i = w->count; i-- > 0;) {
		struct unwind_frame *f = &w->path[i];

		if (!is_place_of_loop(u, f))
			continue;
		if (next < p->read) {
			mark_frame(u, w, i, next++);
		} else {
			f->alone = true;
			more++;
		}
	}
	return next == p->read && (!more || (more == 1 && is_anchored(p)));
}

SIGSAFE static void mark_from_leaf(struct unwinder *u, struct walk *w)
{
	struct python_frames *p = &u->python;
	uint32_t left = p->read;

	for (uint32_t i = 0; i < w->count && left; i++)
		if (is_place_of_loop(u, &w->path[i]))
			python_frame_fresh(p, --left)->entry = w->path[i].at.sp;
	while (left)
		python_frame_fresh(p, --left)->entry = UINTPTR_MAX;
	if (w->count)
		w->path[w->count - 1].alone = true;
}

/* Which frame of the walk runs which function; false: it cannot be told. */
SIGSAFE static bool mark_python(struct unwinder *u, struct walk *w)
{
	if (!u->python.unmarked || !u->python.read)
		return true;
	if (is_rooted(u, w))
		return mark_from_root(u, w);
	mark_from_leaf(u, w);
	return true;
}

/* The walk, and what is known of Python beside it. */
SIGSAFE static __attribute__((noinline)) void
walk_both(struct unwinder *u, struct walk *w, const struct cfi_frame *top,
	  bool exact, bool afresh)
{
	uint32_t valid = afresh ? 0 : intact_frames(u);
	enum python_read how;

	u->python.whole = false;
	for (int i = 0; i < 4; i++) {
		safe_read_forget(&u->reader);
		open_window(u, top->sp);
		valid = follow_python(u, afresh, !exact, valid, &how);
		if (u->seam && u->python.read)
			valid = 0; /* they may be run by what is left out */
		walk_anew(u, w, top, exact, valid);
		if (how == PYTHON_READ && !mark_python(u, w)) {
			how = PYTHON_TORN;
			u->python.read = 0;
			walk_anew(u, w, top, exact, 0);
		}
		if (how != PYTHON_READ ||
		    (!is_guess_refuted(u, w) && !meets_python(u, w)))
			break;
	}
	settle_python(u, w, how);
}

SIGSAFE static void walk_path(struct unwinder *u, struct walk *w,
			      const struct cfi_frame *top, bool exact,
			      bool afresh)
{
	if (python_layout)
		walk_both(u, w, top, exact, afresh);
	else
		walk_anew(u, w, top, exact, afresh ? 0 : intact_frames(u));
}

SIGSAFE static bool is_same_place(const struct cfi_frame *a,
				  const struct cfi_frame *b)
{
	return a->pc == b->pc && a->sp == b->sp && a->fp == b->fp;
}

/* Of a full walk that may have been cut: from there on to the root. */
SIGSAFE static bool same_frames_far(struct unwinder *u, const struct walk *w)
{
	uint32_t left = u->count;
	struct unwind_frame frame;
	struct walk far;
	int how = w->why == LOSS_PARTIAL_DEPTH ? STEPPED : w->why;

	for (uint32_t i = 0; i < w->count; i++)
		if (left &&
		    is_same_place(&u->memo[left - 1].at, &w->path[i].at))
			left--;
	begin_far_walk(u, &far, w);
	while (how == STEPPED) {
		how = step_far(u, &far, &frame);
		if (how == STEPPED && left &&
		    is_same_place(&u->memo[left - 1].at, &frame.at))
			left--;
	}
	return how == LOSS_DROPPED_BUSY || (how == COMPLETE && !left);
}

/* Every frame of the memo is a frame of the full walk. */
SIGSAFE static bool same_frames(const struct unwinder *u, const struct walk *w)
{
	if (u->count > w->count)
		return false;
	for (uint32_t i = 0; i < u->count; i++) {
		if (!is_same_place(&u->memo[i].at,
				   &w->path[w->count - 1 - i].at))
			return false;
	}
	return true;
}

SIGSAFE static void forget_all_places(struct unwinder *u)
{
	for (uint32_t i = 0; i < u->place_count; i++)
		u->places[i].generation = 0;
	for (uint32_t i = 0; i < UNWIND_ROWS; i++)
		u->rows[i].generation = 0;
}

/*
 * The same walk without the memo, and now and then with nothing known before:
 * does it lead to the same node, which stands for the same frames?
 */
SIGSAFE static bool is_confirmed(struct unwinder *u, struct tree *tree,
				 const struct cfi_frame *top, bool exact,
				 live_ref node)
{
	struct walk w;
	live_ref full;
	int why;

	if (!(u->verified++ % PLACES_KEPT))
		forget_all_places(u);
	walk_path(u, &w, top, exact, true);
	if (u->partial == LOSS_JOINED_DEPTH ||
	    (u->partial == COMPLETE && u->count > u->depth))
		return same_frames_far(u, &w);
	full = record_path(u, tree, &w, &why);
	/* 0: it cannot be told now. */
	return !full || (full == node && same_frames(u, &w));
}

SIGSAFE void unwind_expect(const struct unwinder *u, uintptr_t pc)
{
	__builtin_prefetch(slot_of(u, pc));
}

/* As a rule the node is the one that this pc had before, and will be used. */
SIGSAFE static const struct live_node *
expected_node(const struct unwinder *u, const struct tree *tree, uintptr_t pc)
{
	const struct unwind_place *place = slot_of(u, pc);
	const struct live_node *node;

	if (place->pc != pc || place->era != u->era)
		return NULL;
	node = arena_at(tree->arena, place->node);
	__builtin_prefetch(node);
	return node;
}

SIGSAFE static void tell_reached(struct unwinder *u, const struct walk *w,
				 const struct cfi_frame *top)
{
	const struct unwind_frame *last =
		w->count ? &w->path[w->count - 1] : NULL;

	u->reached.sp = last ? last->at.sp : top->sp;
	u->reached.pc = last ? last->at.pc : top->pc;
	u->reached.exact = !last || last->exact;
}

SIGSAFE uintptr_t unwind_reached_function(struct unwinder *u)
{
	const struct unwind_place *place =
		place_of_pc(u, u->reached.pc, u->reached.exact);

	return place ? place->rule.function : 0;
}

SIGSAFE live_ref unwind_path(struct unwinder *u, struct tree *tree,
			     const struct cfi_frame *top, bool exact,
			     const mcontext_t *registers, int *why)
{
	const struct live_node *before = expected_node(u, tree, top->pc);
	live_ref node;
	struct walk w;

	u->registers = registers;
	if (u->root != tree->root) { /* none of its nodes is meant */
		u->count = u->seam = 0;
		u->partial = -1;
		u->root = tree->root;
	}
	walk_path(u, &w, top, exact, false);
	if (w.why == LOSS_PARTIAL_DEPTH && w.count)
		join_memo(u, &w);
	if (before)
		__builtin_prefetch(arena_at(tree->arena, before->cells));
	node = record_path(u, tree, &w, why);
	memorize_path(u, &w);
	tell_reached(u, &w, top);
	u->registers = registers;
	if (u->verify && node && !is_confirmed(u, tree, top, exact, node))
		u->differ++;
	return node;
}

/* Does the code before `pc` call?  Its last bytes tell. */
SIGSAFE static bool follows_call(struct unwinder *u, uintptr_t pc)
{
	uint8_t code[CALL_SIZE];
	uintptr_t to;

	return safe_read_copy(&u->reader, code, pc - CALL_SIZE, CALL_SIZE) &&
	       instructions_call_before(code, pc, &to) != CALL_NONE;
}

/* Functions that begin with a pushed frame pointer, as libcudart's do. */
SIGSAFE static bool scan_beyond(struct unwinder *u, uintptr_t inside,
				struct unwind_frame *to)
{
	uintptr_t slot = (inside | (WORD - 1)) + 1 + WORD, pc;
	const struct unwind_place *place;

	for (int i = 0; i < BEYOND_WORDS; i++, slot += WORD) {
		if (!read_stack_word(u, slot, &pc))
			return false;
		if (pc < PEEK_PAGE || !follows_call(u, pc))
			continue;
		place = place_of_pc(u, pc, false);
		if (!place || place->passed || place->rule.cfa == CFI_NONE ||
		    place->rule.cfa == CFI_BAD)
			continue;
		*to = (struct unwind_frame){ .at = { pc, slot + WORD, 0 },
					     .fp_slot = slot - WORD };
		return read_stack_word(u, to->fp_slot, &to->at.fp);
	}
	return false;
}

/* Stepped from frame to frame; false: one has no information. */
SIGSAFE static bool step_beyond(struct unwinder *u, uintptr_t inside,
				struct unwind_frame *frame)
{
	struct walk w = { .path = u->fresh };
	const struct unwind_place *place;
	uintptr_t fp_slot = 0;
	bool alone = false;

	for (;;) {
		place = place_of_pc(u, frame->at.pc, frame->exact);
		if (!place)
			return false;
		if (frame->at.sp > inside && !place->passed)
			break;
		/* A frame pointer may be the program's: it leads too far. */
		if (place->rule.cfa == CFI_NONE || w.count == BEYOND_MOST ||
		    w.count == u->depth)
			return false;
		w.path[w.count++] = *frame;
		if (step_to_caller(u, &w, &place->rule, frame) != STEPPED)
			return false;
		fp_slot = frame->fp_slot ? frame->fp_slot : fp_slot;
		alone |= frame->alone;
	}
	frame->fp_slot = fp_slot;
	frame->alone = alone;
	return true;
}

SIGSAFE bool unwind_beyond(struct unwinder *u, const struct cfi_frame *top,
			   uintptr_t inside, struct unwind_beyond *to)
{
	struct unwind_frame frame = { .at = *top };

	if (inside < top->sp)
		return false;
	u->registers = NULL;
	safe_read_forget(&u->reader);
	open_window(u, top->sp);
	if (!step_beyond(u, inside, &frame) && !scan_beyond(u, inside, &frame))
		return false;
	to->at = frame.at;
	to->fp_slot = frame.fp_slot;
	to->lasting = u->window_own && !frame.alone;
	return true;
}

/* Does the step from a frame read its frame pointer? */
SIGSAFE static bool reads_fp(const struct cfi_rule *rule)
{
	switch (rule->cfa) {
	case CFI_SP:
		return rule->pc.where == CFI_AT_FP ||
		       rule->fp.where == CFI_AT_FP;
	case CFI_END:
		return false;
	default:
		return true;
	}
}

SIGSAFE static bool is_top_of_memo(const struct unwinder *u,
				   const struct cfi_frame *top)
{
	const struct cfi_frame *at = &u->memo[u->count - 1].at;

	return u->count && u->generation == registry_code_generation() &&
	       at->pc == top->pc && at->sp == top->sp && at->fp == top->fp;
}

/*
 * A saved frame pointer is one of them only when a frame above reads it: else
 * it is any register, which a loop may count in.
 */
SIGSAFE static int native_words(struct unwinder *u, struct unwind_word *to,
				uint32_t n, uint32_t most, bool *fp_matters)
{
	const struct unwind_place *place;
	uintptr_t fp_slot = 0;

	*fp_matters = false;
	for (uint32_t i = u->count; i-- > 0;) {
		const struct unwind_frame *f = &u->memo[i];

		place = place_of_pc(u, f->at.pc, f->exact);
		if (!place || f->exact || n + 3 > most)
			return -1;
		if (i + 1 < u->count) {
			to[n++] = (struct unwind_word){
				(uintptr_t *)frame_return_slot(&f->returns,
							       f->at.sp),
				frame_return_word(&f->returns, f->at.pc)
			};
			if (f->word_slot)
				to[n++] = (struct unwind_word){
					(uintptr_t *)f->word_slot, f->word
				};
			fp_slot = f->fp_slot ? f->fp_slot : fp_slot;
		}
		if (!reads_fp(&place->rule))
			continue;
		*fp_matters |= !fp_slot;
		if (fp_slot)
			to[n++] = (struct unwind_word){ (uintptr_t *)fp_slot,
							f->at.fp };
	}
	return (int)n;
}

/* The last one again, to the end of its line. */
SIGSAFE static uint32_t fill_line(struct unwind_word *to, uint32_t n)
{
	for (; n % UNWIND_LINE; n++)
		to[n] = to[n - 1];
	return n;
}

SIGSAFE static uint32_t add_word_line(struct unwind_word *to, uint32_t n,
				      uintptr_t at, uintptr_t value)
{
	to[n] = (struct unwind_word){ (uintptr_t *)at, value };
	return fill_line(to, n + 1);
}

/* The words of python_state_stays(). */
SIGSAFE static uint32_t state_words(const struct python_frames *p,
				    struct unwind_word *to, uint32_t n)
{
	const struct python_layout *layout = python_layout;
	const struct python_state *s = python_state(p);

	n = add_word_line(to, n, layout->runtime + layout->interpreter.heads,
			  s->interpreter);
	return add_word_line(
		to, n, s->interpreter + layout->interpreter.threads, s->thread);
}

/*
 * The words of functions of Python: which frame is the first, and of each, from
 * there on, its code, its instruction and its caller.  Each is there while the
 * one before is what it was.
 */
SIGSAFE static int python_words(struct unwinder *u, const struct cfi_frame *top,
				struct unwind_word *to, uint32_t n,
				uint32_t most, uint32_t *codes)
{
	const struct python_layout *layout = python_layout;
	struct python_frames *p = &u->python;
	struct unwind_word *w;

	if (!p->lasting || !n || layout->frame.tags || p->known > 1 ||
	    (layout->frame.unit && !python_state_stays(p)) || p->memo_seam ||
	    n + (p->count + 5) * UNWIND_LINE + p->count > most ||
	    python_frame_memo(p, p->count - 1)->entry < top->sp ||
	    (layout->cframe.there &&
	     (p->memo_first < top->sp || p->memo_first >= u->high)))
		return -1;
	n = fill_line(to, n);
	if (layout->frame.unit)
		n = state_words(p, to, n);
	for (uint32_t i = p->count; i-- > 0; n = fill_line(to, n)) {
		const struct python_frame *f = python_frame_memo(p, i);

		if (i + 1 == p->count)
			n = add_word_line(to, n, p->memo_first, f->at);
		if (f->name.changes == PYTHON_CHANGES_MOST || !f->identity)
			return -1;
		w = &to[n];
		w[0].at = (uintptr_t *)(f->at + layout->frame.code);
		w[0].value = f->code;
		w[1].at = (uintptr_t *)(f->at + layout->frame.instr);
		w[1].value = layout->frame.unit ? *w[1].at : f->instr;
		w[2].at = (uintptr_t *)(f->at + layout->frame.previous);
		w[2].value = f->previous;
		n += 3;
	}
	for (; *codes < p->count; ++*codes) {
		const struct python_frame *f = python_frame_memo(p, *codes);

		to[n + *codes] = (struct unwind_word){ (uintptr_t *)f->code,
						       f->identity };
	}
	return (int)n;
}

SIGSAFE int unwind_words(struct unwinder *u, const struct cfi_frame *top,
			 struct unwind_word *to, uint32_t count, uint32_t most,
			 bool *fp_matters, uint32_t *codes)
{
	int n;

	*codes = 0;
	*fp_matters = false;
	if (!is_top_of_memo(u, top))
		return -1;
	n = native_words(u, to, count, most, fp_matters);
	if (n < 0 || !u->python.count)
		return n;
	return python_words(u, top, to, (uint32_t)n, most, codes);
}
