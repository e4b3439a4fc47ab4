/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * restart-inline.h - the instruction is svc #0; the number is in x8, and stays
 * there.  The result is in x0, where the first argument was.
 */

enum {
	SYSCALL_SIZE = 4
};

SIGSAFE_INLINE bool restart_is_call(uintptr_t at)
{
	return !(at % SYSCALL_SIZE) &&
	       *(const volatile uint32_t *)at == 0xd4000001;
}

SIGSAFE_INLINE bool restart_is_behind(const mcontext_t *m)
{
	return restart_is_call(registers_pc(m) - SYSCALL_SIZE);
}

SIGSAFE_INLINE bool restart_is_before(const mcontext_t *m)
{
	return restart_is_call(registers_pc(m));
}

SIGSAFE_INLINE long restart_result(const mcontext_t *m)
{
	return (long)m->regs[0];
}

SIGSAFE_INLINE void restart_set_result(mcontext_t *m, long result)
{
	m->regs[0] = (unsigned long)result;
}

SIGSAFE_INLINE long restart_number(const mcontext_t *m)
{
	return (long)m->regs[8];
}

SIGSAFE_INLINE void restart_skip(mcontext_t *m, long result)
{
	m->regs[0] = (unsigned long)result;
	m->pc += SYSCALL_SIZE;
}

SIGSAFE_INLINE long restart_number_behind(const mcontext_t *m)
{
	return (long)(m->regs[8] & INT32_MAX);
}

/* Behind a call: its result.  Who knows the number does not ask. */
SIGSAFE_INLINE long restart_first(const mcontext_t *m)
{
	return (long)m->regs[0];
}

SIGSAFE_INLINE long restart_second(const mcontext_t *m)
{
	return (long)m->regs[1];
}

SIGSAFE_INLINE long restart_third(const mcontext_t *m)
{
	return (long)m->regs[2];
}

SIGSAFE_INLINE long restart_fourth(const mcontext_t *m)
{
	return (long)m->regs[3];
}
