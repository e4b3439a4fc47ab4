/* SPDX-License-Identifier: BSD-3-Clause */
/* registers-inline.h - the array gregs of a context. */

SIGSAFE_INLINE uintptr_t registers_pc(const mcontext_t *m)
{
	return (uintptr_t)m->gregs[REG_RIP];
}

SIGSAFE_INLINE uintptr_t registers_sp(const mcontext_t *m)
{
	return (uintptr_t)m->gregs[REG_RSP];
}

SIGSAFE_INLINE void registers_to_call(mcontext_t *m, uintptr_t returns)
{
	m->gregs[REG_RIP] = (greg_t)(returns - 1);
	m->gregs[REG_RSP] += (greg_t)sizeof(returns);
}

SIGSAFE_INLINE uintptr_t registers_fp(const mcontext_t *m)
{
	return (uintptr_t)m->gregs[REG_RBP];
}

SIGSAFE_INLINE uintptr_t registers_argument(const mcontext_t *m)
{
	return (uintptr_t)m->gregs[REG_RDI];
}

SIGSAFE_INLINE const void *registers_place(const mcontext_t *m,
					   unsigned int number)
{
	static const uint8_t index[] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
		REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
		REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
	};

	return &m->gregs[index[number]];
}

SIGSAFE_INLINE uintptr_t registers_thread(void)
{
	uintptr_t pointer;

	__asm__("mov %%fs:0, %0" : "=r"(pointer));
	return pointer;
}
