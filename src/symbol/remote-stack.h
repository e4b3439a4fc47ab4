/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * remote-stack.h - the call path of a thread of another process that sleeps in
 * a system call.  Nobody is stopped: its stack is read while it sleeps.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/*
 * "poll ← wait_for ← main", from the registers that /proc/PID/syscall has; as
 * far as frames can be found without the others.  To be freed; NULL: not known,
 * or memory of that process may not be read.
 */
char *remote_stack(pid_t pid, pid_t tid, uint64_t sp, uint64_t pc);
