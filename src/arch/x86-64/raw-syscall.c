/* SPDX-License-Identifier: BSD-3-Clause */
/* raw-syscall.c - while the call is made, its number is in rbx. */
#include "arch/restart.h"
#include "arch/sys-call.h"

__attribute__((noinline)) long raw_syscall(const struct request *r)
{
	register long r10 __asm__("r10") = r->d;
	register long r8 __asm__("r8") = r->e;
	register long r9 __asm__("r9") = r->f;
	long result;

	/* A compiler that made two of the function would not get past this. */
	__asm__ volatile(".globl raw_syscall_at\n\t.hidden raw_syscall_at\n"
			 "raw_syscall_at:\n\tsyscall"
			 : "=a"(result)
			 : "a"(r->number), "b"(r->number), "D"(r->a), "S"(r->b),
			   "d"(r->c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}
