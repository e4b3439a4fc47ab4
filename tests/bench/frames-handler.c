/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * frames-handler.c - what the simplest walk takes: copse's clock, and a
 * handler that follows frame pointers, in a program that keeps them.
 */
#define _GNU_SOURCE
#include <stdint.h>

#include "handler.h"

#define MOST 256

extern void *__libc_stack_end;

/* Visible, so that the compiler keeps what is written to it. */
__thread uintptr_t frames_path[MOST];

static void handle(const ucontext_t *context)
{
	uintptr_t *path = frames_path;
	uintptr_t end = (uintptr_t)__libc_stack_end;
	uintptr_t low = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
	uintptr_t frame = (uintptr_t)context->uc_mcontext.gregs[REG_RBP];
	int depth = 0;

	path[depth++] = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
	while (depth < MOST && frame >= low && frame + 16 <= end &&
	       !(frame & 7)) {
		const uintptr_t *pair = (const uintptr_t *)frame;

		path[depth++] = pair[1];
		low = frame + 16;
		frame = pair[0];
	}
}
