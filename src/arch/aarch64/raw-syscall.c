/* SPDX-License-Identifier: BSD-3-Clause */
/* raw-syscall.c - the number is in x8 anyway. */
#include "arch/sys-call.h"

long raw_syscall(const struct request *r)
{
	return sys6(r->number, r->a, r->b, r->c, r->d, r->e, r->f);
}
