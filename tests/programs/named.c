/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * named.c - two places whose names are known: `mark` in an inlined function,
 * `mark_plain` in a function of its own.  tests/profiles/symbolise.sh builds it
 * many ways.
 */
static inline __attribute__((always_inline)) int inner(int x)
{
	__asm__ volatile(".globl mark\nmark: nop" : "+r"(x)); /* INNER */
	return x + 1;
}

__attribute__((noinline, noclone)) int outer(int x)
{
	return inner(x) * 2; /* OUTER */
}

static __attribute__((noinline, noclone, used)) int plain(int x)
{
	__asm__ volatile(".globl mark_plain\nmark_plain: nop" : "+r"(x));
	return x + 3;
}

int main(int argc, char **argv)
{
	(void)argv;
	return outer(argc) + plain(argc) == 0;
}
