/* SPDX-License-Identifier: BSD-3-Clause */
/* sys-call-inline.h - svc #0: the number in x8, the result in x0. */

#define SYS_open  (-2)
#define SYS_poll  (-3)
#define SYS_pause (-4)

SIGSAFE_INLINE long sys6(long number, long a, long b, long c, long d, long e,
			 long f)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory", "cc");
	return x0;
}

SIGSAFE_INLINE void sys_copy(void *to, const void *from, uint64_t size)
{
	uint64_t word;

	__asm__ volatile("b 2f\n"
			 "1:\tldr %3, [%1], #8\n\t"
			 "str %3, [%0], #8\n"
			 "2:\tsubs %2, %2, #8\n\t"
			 "b.hs 1b\n\t"
			 "add %2, %2, #8\n\t"
			 "b 4f\n"
			 "3:\tldrb %w3, [%1], #1\n\t"
			 "strb %w3, [%0], #1\n"
			 "4:\tsubs %2, %2, #1\n\t"
			 "b.hs 3b"
			 : "+r"(to), "+r"(from), "+r"(size), "=&r"(word)
			 :
			 : "memory", "cc");
}
