/* SPDX-License-Identifier: BSD-3-Clause */
/* look-up.c - dlsym, see look-up.h. */
#include "collect/look-up.h"

#include <dlfcn.h>
#include <stddef.h>

#define PUBLIC   __attribute__((visibility("default")))
#define FROM_ASM __attribute__((used, visibility("hidden")))

enum {
	FRONTS = 4 /* adapters, and one of ours */
};

typedef void *look_up_fn(void *, const char *);

/* Found once, by whoever comes first. */
FROM_ASM look_up_fn *look_up_next;
FROM_ASM look_up_fn *look_up_find(void);
FROM_ASM void *look_up_in_handle(void *handle, const char *name,
				 const void *caller);
static look_up_front *fronts[FRONTS];

/*
 * RTLD_DEFAULT and RTLD_NEXT mean what they do for who calls, whom the C
 * library knows by where it returns to: they are jumped on with.
 */
__asm__(".pushsection .text\n"
	".globl dlsym\n"
	".type dlsym, @function\n"
	"dlsym:\n"
	".cfi_startproc\n"
	"endbr64\n"
	"lea 1(%rdi), %rax\n"
	"cmp $1, %rax\n"
	"mov (%rsp), %rdx\n"
	"ja look_up_in_handle\n"
	"mov look_up_next(%rip), %rax\n"
	"test %rax, %rax\n"
	"jz 1f\n"
	"jmp *%rax\n"
	"1: push %rdi\n"
	".cfi_adjust_cfa_offset 8\n"
	"push %rsi\n"
	".cfi_adjust_cfa_offset 8\n"
	"sub $8, %rsp\n"
	".cfi_adjust_cfa_offset 8\n"
	"call look_up_find\n"
	"add $8, %rsp\n"
	".cfi_adjust_cfa_offset -8\n"
	"pop %rsi\n"
	".cfi_adjust_cfa_offset -8\n"
	"pop %rdi\n"
	".cfi_adjust_cfa_offset -8\n"
	"jmp *%rax\n"
	".cfi_endproc\n"
	".size dlsym, . - dlsym\n"
	".popsection\n");

/*
 * The C library's is asked for the next one: another tool may have its own.
 * Where we were loaded behind the C library, its own is the next one.
 */
look_up_fn *look_up_find(void)
{
	static const char version[] = "GLIBC_2.2.5";
	look_up_fn *own = (look_up_fn *)dlvsym(RTLD_NEXT, "dlsym", version);
	look_up_fn *next =
		(look_up_fn *)(own ? own(RTLD_NEXT, "dlsym")
				   : dlvsym(RTLD_DEFAULT, "dlsym", version));

	__atomic_store_n(&look_up_next, next, __ATOMIC_RELEASE);
	return next;
}

PUBLIC void *copse_look_up(void *handle, const char *name)
{
	look_up_fn *next = __atomic_load_n(&look_up_next, __ATOMIC_ACQUIRE);

	return (next ? next : look_up_find())(handle, name);
}

void *look_up_in_handle(void *handle, const char *name, const void *caller)
{
	void *found = copse_look_up(handle, name), *front = NULL;

	for (size_t i = 0; i < FRONTS && found && fronts[i] && !front; i++)
		front = fronts[i](name, found, caller);
	return front ? front : found;
}

PUBLIC void copse_look_up_front(look_up_front *front)
{
	size_t i = 0;

	while (i < FRONTS && fronts[i])
		i++;
	if (i < FRONTS)
		fronts[i] = front;
}
