/* SPDX-License-Identifier: BSD-3-Clause */
/* broken.c - stands in front of thread_self(), which every handler calls. */
#include "broken.h"
#include "collect/thread.h"

__typeof__(thread_self) __real_thread_self, __wrap_thread_self;

struct thread *__wrap_thread_self(void)
{
	do_wrong();
	return __real_thread_self();
}
