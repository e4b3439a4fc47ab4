/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * registry.h - this process's live profile: made when the first sample or
 * MPI_Init needs it, and its lists of modules, names, threads and
 * communicators.
 *
 * A forked child starts with none: registry_forget() in the child; what was
 * numbered for the parent's profile is told apart by registry_generation().
 *
 * Threads   Any.  Nobody waits for a thread that may have lost its core: what
 *           two add at the same time may be there twice.
 * Signals   Functions marked SIGSAFE may run in a handler, provided the
 *           interrupted code of the same thread is not inside this module:
 *           thread->busy sees to that.
 */
#pragma once

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/hidden.h"
#include "base/settings.h"
#include "base/sigsafe.h"
#include "collect/unwind/safe-read.h"
#include "collect/regions/region.h"
#include "collect/unwind/loaded-object.h"
#include "live/arena.h"

/* Mutable: how often there was another profile, and other code. */
extern HIDDEN struct registry_generations {
	uint32_t profile, code;
} registry_generations;

/* Where live profiles go; called once, before anything else. */
void registry_init(const struct settings *settings, const char *directory);

/* The profile's arena, made when there is none yet; NULL: none to be had. */
SIGSAFE struct arena *registry_open(void);
/* The same, not for handlers: sleeps while another thread makes it. */
struct arena *registry_await(void);
/* A limit on address space has come: what is not used of it is given back. */
void registry_fit(void);
/* A call that would fill what is not used of it with memory; all signals are
   blocked meanwhile. */
long registry_hidden(long (*call)(const void *), const void *argument);
/* No profile can be had, or nothing more fits into it. */
SIGSAFE bool registry_full(void);
/* The header, or NULL when there is no profile (yet). */
SIGSAFE struct live_header *registry_header(void);

/* A loss of no particular thread, if there is a live profile to count it in. */
SIGSAFE void registry_lost(enum loss why, uint64_t count);
static inline uint32_t registry_generation(void)
{
	return registry_generations.profile;
}
void registry_forget(void);

struct registry_module {
	uint32_t index;
	uintptr_t base;
	bool lasting; /* mapped until the process ends */
};

/*
 * The module that is the object; it is added when it is new, and looked at
 * through the reader.  False: no room, or it cannot be read.
 */
SIGSAFE bool registry_module(struct registry_module *to,
			     const struct loaded_object *object,
			     struct safe_read *reader);

/* Code may go away or come: what was known of addresses is checked again. */
static inline uint32_t registry_code_generation(void)
{
	return __atomic_load_n(&registry_generations.code, __ATOMIC_ACQUIRE);
}
void registry_code_changes(void);

/* The index of a name, added at its first use.  False: no room. */
SIGSAFE bool registry_name(struct region_name *name, uint32_t *index);

/* From now on it is called so; the text stays where it is. */
void registry_rename(struct region_name *name, const char *text);

/* A function of Python's, by UTF-8; a new name.  False: no room. */
struct registry_function {
	const char *name, *file, *lines;
	uint32_t name_size, file_size, lines_size, first;
};
SIGSAFE bool registry_function(const struct registry_function *f,
			       uint32_t *index);

/* A new thread record, or 0. */
SIGSAFE live_ref registry_thread(uint32_t tid, uint32_t *index);
SIGSAFE live_ref registry_comm(void);
