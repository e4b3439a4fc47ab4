/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * foreign.h - the code and memory of another process, as the unwinder of the
 * collector reads them: this file has, for that process, the functions that
 * loaded-object.h, registry.h and safe-read.h have for one's own.
 *
 * Code is read from the files that the process has mapped, stacks from the copy
 * that came with a sample, what is left from the process itself, where the
 * kernel allows that.  Nothing is written there, and nobody is stopped.
 *
 * Threads   One, as there is one process at a time that all reads are of.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "live/layout.h"

struct attach_record;

enum {
	FOREIGN_PAGES = 256 /* copies of pages of files */
};

struct foreign_page;

/*
 * Of one thread, pages of its stack above what copies have: as they were before
 * a sample, and are behind it.  A word that is the same was so meanwhile.
 */
struct foreign_deep;
struct foreign_deep *foreign_deep_new(void); /* NULL: out of memory */

struct foreign_module {
	char *path;
	uint64_t device, inode;
	uintptr_t start, end, base;
	uintptr_t eh_frame; /* its PT_GNU_EH_FRAME; 0: none */
	uintptr_t dynamic;  /* its PT_DYNAMIC; 0: none */
	int file;           /* open; -1: not there any more */
	uint32_t index;     /* in the profile */
	bool gone;          /* it is not mapped any more */
	uint8_t build_id[36];
	uint32_t build_id_size;
};

struct foreign_mapping {
	uintptr_t start, end;
	uint64_t offset;
	size_t module; /* SIZE_MAX: none */
	bool code, writable;
};

struct foreign {
	pid_t pid;
	struct attach_record *record; /* gets the modules */
	struct foreign_module *modules;
	size_t module_count, module_room;
	struct foreign_mapping *mappings; /* by address */
	size_t mapping_count, mapping_room, last;
	struct foreign_page *pages;
	uint32_t look;   /* how often it was used */
	uint64_t hash;   /* of its list of mappings */
	bool unreadable; /* its memory may not be read */
	/* The copy that came with a sample; `edge`: more was wanted. */
	const char *stack;
	uintptr_t stack_low, stack_high;
	bool edge;
	bool still; /* what is beside the copy is as it was at its time */
	struct foreign_deep *deep; /* NULL: no more than the copy is known */
	uint64_t sample_ns;        /* when the copy was made */
};

/* Its mappings: 0, or -errno with a reason. */
int foreign_open(struct foreign *f, pid_t pid, struct attach_record *record);
void foreign_close(struct foreign *f);

/* Libraries may have come or gone.  False: the process is gone. */
bool foreign_look(struct foreign *f);

/* The mapping at an address, or NULL. */
const struct foreign_mapping *foreign_mapping_of(struct foreign *f,
						 uintptr_t at);

/* All reads are of this one, until the next call. */
void foreign_use(struct foreign *f, const void *stack, uintptr_t low,
		 size_t size);

/*
 * The same, and the thread does not run: all of its memory is read as it is,
 * each page once.
 */
void foreign_use_still(struct foreign *f, const void *stack, uintptr_t low,
		       size_t size);

/* The copy is that of a sample of this thread, at that time. */
void foreign_use_deep(struct foreign *f, struct foreign_deep *deep,
		      uint64_t ns);
