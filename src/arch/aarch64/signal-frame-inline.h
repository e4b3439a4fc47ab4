/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * signal-frame-inline.h - the siginfo_t, the context with all registers, and
 * above them what has no room there, which the context points to.
 */
#include <asm/sigcontext.h>
#include <stddef.h>

enum {
	SIGNAL_FRAME_ALIGN = 16,
	SIGNAL_FRAME_RETURN_SIZE = 8
};

#define signal_frame_of_handler() ((uintptr_t)__builtin_dwarf_cfa())

/* Where handlers return to: the kernel's own, or that of signal-frame.c, which
 * unwinders know by its instructions. */
extern const char signal_frame_return[] __attribute__((visibility("hidden")));

/* mov x8, #139 (rt_sigreturn); svc #0 */
SIGSAFE_INLINE bool signal_frame_returns(const uint8_t *code)
{
	const uint32_t *i = (const uint32_t *)code;

	return i[0] == 0xd2801168 && i[1] == 0xd4000001;
}

/* A handler that another function calls has them. */
#define signal_frame_arguments(info, context)                                  \
	do {                                                                   \
		if (signal_frame_returns(__builtin_return_address(0))) {       \
			info = (siginfo_t *)signal_frame_of_handler();         \
			context = info + 1;                                    \
		}                                                              \
	} while (0)

SIGSAFE_INLINE ucontext_t *signal_frame_context(uintptr_t frame)
{
	return (ucontext_t *)(frame + sizeof(siginfo_t));
}

SIGSAFE_INLINE uintptr_t signal_frame_left(uintptr_t sp)
{
	return sp + sizeof(siginfo_t);
}

SIGSAFE_INLINE void signal_frame_moved(ucontext_t *context, uintptr_t distance)
{
	unsigned char *at = context->uc_mcontext.__reserved;
	unsigned char *end = at + sizeof(context->uc_mcontext.__reserved);
	struct _aarch64_ctx *head = (struct _aarch64_ctx *)at;

	while (end - at >= (ptrdiff_t)sizeof(struct extra_context) &&
	       head->magic && head->size) {
		if (head->magic == EXTRA_MAGIC)
			((struct extra_context *)head)->datap -= distance;
		at += head->size;
		head = (struct _aarch64_ctx *)at;
	}
}

/* The frame pointer is the interrupted one: a chain of them goes on there. */
SIGSAFE_INLINE _Noreturn void
signal_frame_start(uintptr_t frame, void (*handler)(int, siginfo_t *, void *),
		   int signum, siginfo_t *info)
{
	ucontext_t *context = signal_frame_context(frame);
	register long x0 __asm__("x0") = signum;
	register siginfo_t *x1 __asm__("x1") = info;
	register ucontext_t *x2 __asm__("x2") = context;
	register uintptr_t x16 __asm__("x16") = (uintptr_t)handler;
	register uintptr_t x9 __asm__("x9") = context->uc_mcontext.regs[29];
	register uintptr_t x10 __asm__("x10") = (uintptr_t)signal_frame_return;
	register uintptr_t x11 __asm__("x11") = frame;

	__asm__ volatile("mov sp, x11\n\t"
			 "mov x29, x9\n\t"
			 "mov x30, x10\n\t"
			 "br x16"
			 :
			 : "r"(x0), "r"(x1), "r"(x2), "r"(x16), "r"(x9),
			   "r"(x10), "r"(x11)
			 : "memory");
	__builtin_unreachable();
}
