/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * attach-record.h - the live profile of a process that is measured from
 * outside: as its collector would write it, but written here.
 *
 * Failure   What has no room is left out; the profile stays good.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "live/arena.h"
#include "live/layout.h"
#include "live/tree.h"

struct foreign_module;
struct job;

#define ATTACH_NO_MODULE UINT32_MAX

struct attach_record {
	struct arena arena;
	struct arena_small small;
	live_ref last_module, last_thread, last_name; /* of their lists */
	uint32_t module_count, name_count;
};

/* How it is measured. */
struct attach_how {
	uint64_t freq;
	bool kernel, waiting; /* time in the kernel, time off the core */
	bool reads;           /* its memory */
	uint32_t dump; /* bytes of a copy of the stack, of most threads */
	size_t room;   /* of their rings */
	int events; /* of epoll(7): gets the threads of Python that have samples
		     */
};

/*
 * Makes FOLDER/PID.0.live.  `job` has the process's rank, where it is `ranked`.
 * -errno with a reason.
 */
int attach_record_open(struct attach_record *r, const char *folder, pid_t pid,
		       const struct job *job, bool ranked);
void attach_record_how(struct attach_record *r, const struct attach_how *how);
void attach_record_python(struct attach_record *r, uint16_t version,
			  bool known);
void attach_record_close(struct attach_record *r);

/* Sets its index; ATTACH_NO_MODULE: no room. */
void attach_record_module(struct attach_record *r, struct foreign_module *m);

/* A function of Python's; false: no room. */
struct registry_function;
bool attach_record_function(struct attach_record *r,
			    const struct registry_function *f, uint32_t *index);

/* A thread, and its tree; NULL: no room. */
struct live_thread *attach_record_thread(struct attach_record *r, pid_t tid,
					 const char *name, struct tree *tree);
