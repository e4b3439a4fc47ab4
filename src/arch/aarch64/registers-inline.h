/* SPDX-License-Identifier: BSD-3-Clause */
/* registers-inline.h - x0 to x30, sp and pc follow each other in a context. */
#include <pthread.h>
#include <stddef.h>

SIGSAFE_INLINE uintptr_t registers_pc(const mcontext_t *m)
{
	return m->pc;
}

SIGSAFE_INLINE uintptr_t registers_sp(const mcontext_t *m)
{
	return m->sp;
}

SIGSAFE_INLINE uintptr_t registers_fp(const mcontext_t *m)
{
	return m->regs[29];
}

SIGSAFE_INLINE void registers_to_call(mcontext_t *m, uintptr_t returns)
{
	m->pc = returns - 1;
}

SIGSAFE_INLINE uintptr_t registers_argument(const mcontext_t *m)
{
	return m->regs[0];
}

SIGSAFE_INLINE const void *registers_place(const mcontext_t *m,
					   unsigned int number)
{
	_Static_assert(offsetof(mcontext_t, pc) ==
			       offsetof(mcontext_t, regs) + 32 * sizeof(long),
		       "sp and pc follow x30");
	return (const char *)m + offsetof(mcontext_t, regs) +
	       number * sizeof(uintptr_t);
}

SIGSAFE_INLINE uintptr_t registers_thread(void)
{
	return (uintptr_t)pthread_self();
}
