/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * leaving.h - the ends of a process at which no handler of atexit() is called:
 * _exit(), abort() and a failed assert().
 *
 * Threads   Any, and in handlers of the program's signals.
 */
#pragma once

/*
 * `last` is called before the process ends so, also in children of vfork(), and
 * in forked ones: it has to see whose they are.  It must return soon.
 */
void copse_leaving(void (*last)(void));
