/* SPDX-License-Identifier: BSD-3-Clause */
/* signal-name.c - by number. */
#include <signal.h>
#include <stddef.h>

#include "base/signal-name.h"

#define NAME(word) [SIG##word] = #word
static const char *const names[] = {
	NAME(HUP),  NAME(INT),  NAME(QUIT),  NAME(ILL),  NAME(TRAP),
	NAME(ABRT), NAME(BUS),  NAME(FPE),   NAME(KILL), NAME(USR1),
	NAME(SEGV), NAME(USR2), NAME(PIPE),  NAME(ALRM), NAME(TERM),
	NAME(CHLD), NAME(CONT), NAME(STOP),  NAME(TSTP), NAME(TTIN),
	NAME(TTOU), NAME(URG),  NAME(XCPU),  NAME(XFSZ), NAME(VTALRM),
	NAME(PROF), NAME(IO),   NAME(WINCH), NAME(PWR),  NAME(SYS),
};

const char *signal_name(int signum)
{
	size_t i = (size_t)signum;

	return i < sizeof(names) / sizeof(*names) ? names[i] : NULL;
}
