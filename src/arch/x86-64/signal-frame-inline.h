/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * signal-frame-inline.h - the return address, the context, the siginfo_t, and
 * above them the state of the vector registers, which the context points to.
 */

enum {
	SIGNAL_FRAME_ALIGN = 64,
	SIGNAL_FRAME_RETURN_SIZE = 0
};

/* All handlers get them. */
#define signal_frame_arguments(info, context)                                  \
	do {                                                                   \
	} while (0)

SIGSAFE_INLINE bool signal_frame_returns(const uint8_t *code)
{
	(void)code;
	return false;
}

SIGSAFE_INLINE uintptr_t signal_frame_left(uintptr_t sp)
{
	return sp;
}

#define signal_frame_of_handler()                                              \
	((uintptr_t)__builtin_frame_address(0) + sizeof(uintptr_t))

SIGSAFE_INLINE ucontext_t *signal_frame_context(uintptr_t frame)
{
	return (ucontext_t *)(frame + sizeof(uintptr_t));
}

SIGSAFE_INLINE void signal_frame_moved(ucontext_t *context, uintptr_t distance)
{
	mcontext_t *m = &context->uc_mcontext;

	if (m->fpregs)
		m->fpregs = (fpregset_t)((uintptr_t)m->fpregs - distance);
}

/* Some read the frame pointer. */
SIGSAFE_INLINE _Noreturn void
signal_frame_start(uintptr_t frame, void (*handler)(int, siginfo_t *, void *),
		   int signum, siginfo_t *info)
{
	ucontext_t *context = signal_frame_context(frame);

	__asm__ volatile("mov %0, %%rsp\n\t"
			 "mov %1, %%rbp\n\t"
			 "xor %%eax, %%eax\n\t"
			 "jmp *%2"
			 :
			 : "r"(frame), "b"(context->uc_mcontext.gregs[REG_RBP]),
			   "c"(handler), "D"(signum), "S"(info), "d"(context)
			 : "memory");
	__builtin_unreachable();
}
