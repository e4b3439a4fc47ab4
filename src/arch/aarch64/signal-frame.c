/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * signal-frame.c - where a handler returns to whose frame was moved.  It has no
 * unwind information: unwinders look for these instructions, as in the
 * kernel's.
 */
#include "arch/signal-frame.h"

__asm__(".pushsection .text\n"
	".globl signal_frame_return\n"
	".hidden signal_frame_return\n"
	".type signal_frame_return, @function\n"
	"nop\n" /* a return address, less one, is of the same function */
	"signal_frame_return:\n"
	"mov x8, #139\n"
	"svc #0\n"
	".size signal_frame_return, . - signal_frame_return\n"
	".popsection\n");
