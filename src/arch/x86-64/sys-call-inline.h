/* SPDX-License-Identifier: BSD-3-Clause */
/* sys-call-inline.h - syscall: number and result in rax. */

SIGSAFE_INLINE long sys6(long number, long a, long b, long c, long d, long e,
			 long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10),
			   "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

SIGSAFE_INLINE void sys_copy(void *to, const void *from, uint64_t size)
{
	__asm__ volatile("rep movsb"
			 : "+D"(to), "+S"(from), "+c"(size)
			 :
			 : "memory");
}
