/* SPDX-License-Identifier: BSD-3-Clause */
/* alt-stack.c - see alt-stack.h; stands in front of sigaltstack(). */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <setjmp.h>
#include <stddef.h>

#include "arch/frame.h"
#include "arch/registers.h"
#include "arch/signal-frame.h"
#include "base/golang.h"
#include "base/hidden.h"
#include "base/sys.h"
#include "collect/source.h"
#include "collect/thread.h"
#include "collect/transparency/alt-stack.h"
#include "collect/transparency/next.h"
#include "collect/unwind/loaded-object.h"

enum {
	AUTODISARM = (int)(1u << 31),
	SIGNALS = 65
};

/* Still there in a thread that a sandbox has made leave. */
static __thread struct alt_stack *in_force
	__attribute__((tls_model("initial-exec")));

/* Mutable: handlers of the program in place of which on_program_signal() is
 * installed. */
static void *handlers[SIGNALS];

void alt_stack_init(struct alt_stack *s, void *room)
{
	s->low = (uintptr_t)room;
	s->high = (s->low + ALT_STACK_SIZE) & -(uintptr_t)SIGNAL_FRAME_ALIGN;
}

/* As the kernel has it. */
SIGSAFE static bool is_on(const stack_t *stack, uintptr_t sp)
{
	uintptr_t low = (uintptr_t)stack->ss_sp;

	return sp > low && sp - low <= stack->ss_size;
}

static long put_ours(const struct alt_stack *s, stack_t *old)
{
	const stack_t ours = { .ss_sp = (void *)s->low,
			       .ss_size = s->high - s->low };

	return sys2(SYS_sigaltstack, &ours, old);
}

/* In a forked child the kernel has it already. */
AT_FORK static void take_stack_over(struct thread *t)
{
	struct alt_stack *s = &t->alt_stack;

	if (in_force || !s->low)
		return;
	s->own_low = t->unwinder.low;
	s->own_high = t->unwinder.high;
	if (!put_ours(s, &s->program))
		in_force = s;
}

/* In a sandbox of all threads no system call is made. */
static void give_stack_back(struct thread *t)
{
	if (!in_force || thread_all_left)
		return;
	in_force = NULL;
	sys2(SYS_sigaltstack, &t->alt_stack.program, 0);
}

/*
 * Where the kernel would have ended the frame of a handler.  Go lets an
 * alternate stack that it finds be, and relies on it for the stacks of its own
 * that it runs on, which have no room: where the program has none for such a
 * handler, ours is one, 0.
 */
SIGSAFE static uintptr_t frame_end(const struct alt_stack *s, uintptr_t sp,
				   bool alternate)
{
	const stack_t *stack = &s->program;

	if (!alternate || is_on(stack, sp))
		return sp - RED_ZONE;
	if (stack->ss_size)
		return (uintptr_t)stack->ss_sp + stack->ss_size;
	return sp - s->own_low < s->own_high - s->own_low ? sp - RED_ZONE : 0;
}

/*
 * How far below our stack's end the frame has to go, 0: it stays.  A handler
 * that is called by another function, or was started on another stack, is where
 * it belongs.
 */
SIGSAFE static uintptr_t frame_distance(const struct alt_stack *s,
					uintptr_t entry, bool alternate,
					const ucontext_t *context)
{
	uintptr_t sp = registers_sp(&context->uc_mcontext), end;

	if (!s || signal_frame_context(entry) != context ||
	    entry - s->low >= s->high - s->low ||
	    sp - s->low <= s->high - s->low)
		return 0;
	end = frame_end(s, sp, alternate);
	return end ? (s->high - end + SIGNAL_FRAME_ALIGN - 1) &
			       -(uintptr_t)SIGNAL_FRAME_ALIGN
		   : 0;
}

/* As the kernel does where a frame does not fit on the alternate stack. */
SIGSAFE static void die_of_overflow(void)
{
	static const uint64_t fallback[4]; /* SIG_DFL, as the kernel has it */
	uint64_t mask = ~((uint64_t)1 << (SIGSEGV - 1));

	sys4(SYS_rt_sigaction, SIGSEGV, fallback, 0, sizeof(uint64_t));
	sys3(SYS_tgkill, sys0(SYS_getpid), sys0(SYS_gettid), SIGSEGV);
	sys_mask(mask);
}

SIGSAFE static uintptr_t move_frame(const struct alt_stack *s, uintptr_t entry,
				    uintptr_t distance)
{
	uintptr_t to = entry - distance;
	uintptr_t end = s->high - distance;

	if (is_on(&s->program, end) && !is_on(&s->program, to))
		die_of_overflow();
	sys_copy((void *)to, (const void *)entry, s->high - entry);
	signal_frame_moved(signal_frame_context(to), distance);
	return to;
}

SIGSAFE void alt_stack_leave(uintptr_t entry, signal_handler *function,
			     bool alternate, int signum, siginfo_t *info,
			     void *context)
{
	const struct alt_stack *s = in_force;
	uintptr_t distance = frame_distance(s, entry, alternate, context);
	uintptr_t moved;

	if (!distance) {
		function(signum, info, context);
		return;
	}
	moved = move_frame(s, entry, distance);
	signal_frame_start(moved, function, signum,
			   (siginfo_t *)((uintptr_t)info - distance));
}

/* Installed in place of each handler of the program for the alternate stack. */
SIGSAFE static void on_program_signal(int signum, siginfo_t *info,
				      void *context)
{
	signal_frame_arguments(info, context);
	alt_stack_leave(signal_frame_of_handler(), handlers[signum], true,
			signum, info, context);
}

/*
 * Such a one compares the stack that it is on with what the kernel says.  In a
 * sandbox no system call may be made, and the program itself is none.
 */
static bool is_of_go(void *handler)
{
	struct loaded_object object;

	return thread_self() && loaded_object_find(&object, handler) &&
	       *object.map->l_name && golang_wrote(object.map->l_name);
}

void *alt_stack_wrap(int signum, void *handler, unsigned long flags)
{
	if (!(flags & SA_ONSTACK) || handler == SIG_DFL || handler == SIG_IGN ||
	    handler == on_program_signal || signum < 1 || signum >= SIGNALS ||
	    is_of_go(handler))
		return handler;
	handlers[signum] = handler;
	return on_program_signal;
}

void *alt_stack_wrapped(int signum)
{
	return signum > 0 && signum < SIGNALS ? handlers[signum] : NULL;
}

void *alt_stack_unwrap(void *installed, void *was)
{
	return installed == on_program_signal ? was : installed;
}

static int stack_result(long result)
{
	if (result >= 0)
		return 0;
	errno = (int)-result;
	return -1;
}

/* On the program's own nothing can be changed, as the kernel has it. */
static long ask_on_it(const struct alt_stack *s, const stack_t *stack,
		      stack_t *old)
{
	if (old) {
		*old = s->program;
		old->ss_flags = SS_ONSTACK;
	}
	return stack ? -EPERM : 0;
}

/*
 * The kernel is asked, with the program's in place, and so judges what is
 * asked for.  A stack that disarms itself is one that the kernel has to have;
 * so is one that cannot be left.
 */
static long ask_kernel(struct alt_stack *s, const stack_t *stack, stack_t *old)
{
	uint64_t mask = sys_mask(SYS_MASK_ALL);
	long result;

	sys2(SYS_sigaltstack, &s->program, 0);
	result = sys2(SYS_sigaltstack, stack, old);
	sys2(SYS_sigaltstack, 0, &s->program);
	if (s->program.ss_flags & AUTODISARM || put_ours(s, NULL))
		in_force = NULL;
	sys_mask(mask);
	return result;
}

/* Of a thread that a sandbox made leave: it makes no more calls than it would.
 */
static long ask_left(struct alt_stack *s, const stack_t *stack, stack_t *old)
{
	long result = stack ? sys2(SYS_sigaltstack, stack, 0) : 0;

	if (!result && old)
		*old = s->program;
	if (!result && stack)
		in_force = NULL;
	return result;
}

PUBLIC int sigaltstack(const stack_t *stack, stack_t *old)
{
	struct alt_stack *s = in_force;

	if (!s)
		return NEXT(sigaltstack)(stack, old);
	if (is_on(&s->program, (uintptr_t)__builtin_frame_address(0)))
		return stack_result(ask_on_it(s, stack, old));
	if (!thread_self())
		return stack_result(ask_left(s, stack, old));
	if (!thread_is_own()) /* a child of vfork() */
		return NEXT(sigaltstack)(stack, old);
	return stack_result(ask_kernel(s, stack, old));
}

/*
 * Code that was compiled with checks of a jump's target asks the kernel whether
 * it leaves an alternate stack, past the C library: on the program's it would
 * be told that it does not, and end the program.
 */
PUBLIC void __longjmp_chk(jmp_buf buffer, int value) __attribute__((noreturn));
void __longjmp_chk(jmp_buf buffer, int value)
{
	const struct alt_stack *s = in_force;

	if (s && is_on(&s->program, (uintptr_t)__builtin_frame_address(0)))
		NEXT(siglongjmp)(buffer, value);
	NEXT(__longjmp_chk)(buffer, value);
	__builtin_unreachable();
}

const struct source source_alt_stack = {
	.thread_start = take_stack_over,
	.thread_stop = give_stack_back,
};
