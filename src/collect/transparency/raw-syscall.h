/* SPDX-License-Identifier: BSD-3-Clause */
/* raw-syscall.h - makes a system call as syscall() was asked for it. */
#pragma once

struct request {
	long number, a, b, c, d, e, f;
};

/*
 * Makes the call: the kernel's result.  While it does, its number stands in
 * rbx, and raw_syscall_at is the address of its instruction.
 */
long raw_syscall(const struct request *r);
extern const char raw_syscall_at[] __attribute__((visibility("hidden")));
