/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * loops.c - functions whose loops are known: a loop X begins at the line with
 * its mark, X{, and ends at the one with }X.  The word behind EXPECT is the
 * function, then come all nests that there are, outermost first.
 * tests/profiles/loops.sh builds it, and looks for them in the machine code.
 */
#define KEPT __attribute__((noinline, noclone, used)) int

extern volatile int sink;
extern int other(int x);

struct item {
	struct item *next;
	int value;
};

/* EXPECT none */
KEPT none(int *a, int n)
{
	return n ? a[0] + other(n) : 3;
}

/* EXPECT plain_for A */
KEPT plain_for(int *a, int n)
{
	for (int i = 0; i < n; i++) /* A{ */
		sink = a[i];        /* }A */
	return n;
}

/* EXPECT plain_while B */
KEPT plain_while(int *a, int n)
{
	while (a[n] != 0) { /* B{ */
		n = other(n);
		sink = n; /* }B */
	}
	return n;
}

/* EXPECT do_while C */
KEPT do_while(int *a, int n)
{
	do {
		sink = a[n]; /* C{ */
		n = other(n);
	} while (n > 3); /* }C */
	return n;
}

/* EXPECT nest_two D D>E */
KEPT nest_two(int *a, int n)
{
	for (int i = 0; i < n; i++) { /* D{ */
		sink = i;
		for (int k = 0; k < i; k++) /* E{ */
			sink = a[k];        /* }E }D */
	}
	return n;
}

/* EXPECT nest_three F F>G F>G>H */
KEPT nest_three(int *a, int n)
{
	for (int i = 0; i < n; i++)                 /* F{ */
		for (int k = other(i); k < n; k++)  /* G{ */
			for (int m = 0; m < k; m++) /* H{ */
				sink = a[m];        /* }H }G }F */
	return n;
}

/* EXPECT siblings I J */
KEPT siblings(int *a, int n)
{
	for (int i = 0; i < n; i++) /* I{ */
		sink = a[i];        /* }I */
	other(n);
	for (int i = 0; i < n; i++) /* J{ */
		sink = a[i] + 1;    /* }J */
	return n;
}

/* EXPECT siblings_inside K K>L K>M */
KEPT siblings_inside(int *a, int n)
{
	for (int i = 0; i < n; i++) {       /* K{ */
		for (int k = 0; k < i; k++) /* L{ */
			sink = a[k];        /* }L */
		other(i);
		for (int k = 0; k < i; k++) /* M{ */
			sink = a[k] + 1;    /* }M }K */
	}
	return n;
}

/* EXPECT by_goto N */
KEPT by_goto(int *a, int n)
{
again:
	sink = a[n]; /* N{ */
	n = other(n);
	if (n > 5) /* }N */
		goto again;
	return n;
}

/* EXPECT leaves_early O */
KEPT leaves_early(int *a, int n)
{
	for (int i = 0; i < n; i++) { /* O{ */
		if (a[i] < 0)
			continue;
		if (a[i] == 7)
			break;
		sink = a[i]; /* }O */
	}
	return n;
}

/* EXPECT returns_early P */
KEPT returns_early(int *a, int n)
{
	for (int i = 0; i < n; i++) { /* P{ */
		if (a[i] == n)
			return i;
		sink = i; /* }P */
	}
	return -1;
}

/* EXPECT machine Q */
KEPT machine(int *a, int n)
{
	for (int i = 0; i < n; i++) { /* Q{ */
		switch (a[i]) {
		case 0:
			sink = other(1);
			break;
		case 1:
			sink = 2;
			break;
		case 2:
			sink = i;
			break;
		case 3:
			i = other(i);
			break;
		case 4:
			sink = 5;
			sink = 6;
			break;
		case 5:
			i += a[i + 1];
			break; /* }Q */
		}
	}
	return n;
}

static inline __attribute__((always_inline)) int helper(int *a, int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++) /* R{ */
		sum += other(a[i]); /* }R */
	return sum;
}

/* EXPECT calls_inlined R */
KEPT calls_inlined(int *a, int n)
{
	return helper(a, n) + 1;
}

/* EXPECT inlined_in_loop S S>R */
KEPT inlined_in_loop(int *a, int n)
{
	for (int i = 0; i < n; i++)  /* S{ */
		sink = helper(a, i); /* }S */
	return n;
}

static inline __attribute__((always_inline)) int tiny(int x)
{
	sink = x;
	return other(x);
}

/* EXPECT body_inlined T */
KEPT body_inlined(int *a, int n)
{
	for (int i = 0; i < n; i++) /* T{ */
		n = tiny(n + *a);   /* }T */
	return n;
}

/* EXPECT vectorized U */
KEPT vectorized(int *restrict a, int n)
{
	int *restrict b = a + n;

	for (int i = 0; i < 1024; i++) /* U{ */
		a[i] = b[i] * 3;       /* }U */
	return n;
}

/* EXPECT list V */
KEPT list(struct item *at)
{
	int sum = 0;

	for (; at; at = at->next) /* V{ */
		sum += at->value; /* }V */
	return sum;
}

/* EXPECT for_ever W */
KEPT for_ever(int *a, int n)
{
	for (;;) {
		n = other(n); /* W{ */
		if (a[n] == 1)
			break;
		sink = n; /* }W */
	}
	return n;
}

/* EXPECT two_entries X */
KEPT two_entries(int *a, int n)
{
	if (n > 3)
		goto middle;
start:
	sink = other(n); /* X{ */
middle:
	n = other(n + a[n]);
	if (n > 9) /* }X */
		goto start;
	return n;
}

/* EXPECT loop_then_nest Y Z Z>AA */
KEPT loop_then_nest(int *a, int n)
{
	while (other(n))                        /* Y{ */
		n++;                            /* }Y */
	for (int i = 0; i < n; i++) {           /* Z{ */
		for (int k = n; k > 0; k -= 2)  /* AA{ */
			sink = a[k] + other(k); /* }AA */
		sink = i;                       /* }Z */
	}
	return n;
}

/* EXPECT tail_recursion AB */
KEPT tail_recursion(int *a, int n)
{
	if (a[n] == 0) /* AB{ */
		return n;
	sink = n;
	return tail_recursion(a, n - 1); /* }AB */
}

_Noreturn void __attribute__((noinline, noclone)) ends(int x);

/* EXPECT calls_ends AC */
KEPT calls_ends(int *a, int n)
{
	for (int i = 0; i < n; i++) { /* AC{ */
		if (a[i] == 3)
			ends(i);
		sink = a[i]; /* }AC */
	}
	if (n == 17)
		ends(n);
	return n;
}

volatile int sink;

_Noreturn void __attribute__((noinline, noclone)) ends(int x)
{
	for (;;)
		sink = x;
}

int __attribute__((noinline, noclone)) other(int x)
{
	sink = x;
	return sink;
}

int main(void)
{
	return 0;
}
