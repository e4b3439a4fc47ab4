/* SPDX-License-Identifier: BSD-3-Clause */
/* thread-state.h - what a thread is doing now, as the kernel says. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct thread_state {
	char state;      /* as in proc(5): R, S, D, T, Z …; 0: it is gone */
	uint64_t ticks;  /* CPU time so far, in clock ticks */
	long syscall;    /* that it is in; -1: none, or not known */
	uint64_t sp, pc; /* in that; 0: not known, or it may not be asked */
	char wchan[64];  /* where it sleeps in the kernel; "": not known */
};

/* Nothing is stopped.  False: there is no such thread. */
bool thread_state_look(struct thread_state *to, pid_t pid, pid_t tid);

/* The same, of `syscall`, `sp` and `pc` alone; false: it may not be asked. */
bool thread_state_syscall(struct thread_state *to, pid_t pid, pid_t tid);

/* "sleeps", "waits for a disk or file system", …; never NULL. */
const char *thread_state_text(const struct thread_state *state);
