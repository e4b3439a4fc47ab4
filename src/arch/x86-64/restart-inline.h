/* SPDX-License-Identifier: BSD-3-Clause */
/* restart-inline.h - the instruction is syscall; number and result are in rax.
 */
#include "arch/page-size.h"
#include "arch/sys-call.h"

enum {
	SYSCALL_SIZE = 2,
	MOV_EAX_SIZE = 5
};

/* In raw_syscall(). */
extern const char raw_syscall_at[] __attribute__((visibility("hidden")));

SIGSAFE_INLINE bool restart_is_call(uintptr_t at)
{
	const volatile uint8_t *code = (const volatile uint8_t *)at;

	return (at & (PAGE_SMALLEST - 1)) < PAGE_SMALLEST - 1 &&
	       code[0] == 0x0f && code[1] == 0x05;
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
	return m->gregs[REG_RAX];
}

SIGSAFE_INLINE void restart_set_result(mcontext_t *m, long result)
{
	m->gregs[REG_RAX] = result;
}

SIGSAFE_INLINE long restart_number(const mcontext_t *m)
{
	return m->gregs[REG_RAX];
}

SIGSAFE_INLINE void restart_skip(mcontext_t *m, long result)
{
	m->gregs[REG_RAX] = result;
	m->gregs[REG_RIP] += SYSCALL_SIZE;
}

SIGSAFE_INLINE long restart_number_behind(const mcontext_t *m)
{
	uintptr_t call = registers_pc(m) - SYSCALL_SIZE;
	const volatile uint8_t *code =
		(const volatile uint8_t *)call - MOV_EAX_SIZE;
	uint32_t number;

	if (call == (uintptr_t)raw_syscall_at)
		return m->gregs[REG_RBX];
	if ((call & (PAGE_SMALLEST - 1)) < MOV_EAX_SIZE || code[0] != 0xb8)
		return -1;
	sys_copy(&number, (const void *)(code + 1), sizeof(number));
	return number;
}

SIGSAFE_INLINE long restart_first(const mcontext_t *m)
{
	return m->gregs[REG_RDI];
}

SIGSAFE_INLINE long restart_second(const mcontext_t *m)
{
	return m->gregs[REG_RSI];
}

SIGSAFE_INLINE long restart_third(const mcontext_t *m)
{
	return m->gregs[REG_RDX];
}

SIGSAFE_INLINE long restart_fourth(const mcontext_t *m)
{
	return m->gregs[REG_R10];
}
