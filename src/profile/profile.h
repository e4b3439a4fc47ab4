/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * profile.h - one process's profile in memory: what a live profile becomes
 * when its process has ended, and what rank-N.h5 holds.
 *
 * Ownership   A profile owns everything it points to.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/batch.h"
#include "base/cores.h"
#include "base/family.h"
#include "base/metric.h"
#include "live/layout.h"
#include "profile/store/extent.h"

/* As enum live_node_kind, in the same order. */
enum node_kind {
#define NODE(id, ...) NODE_##id,
#include "live/node-kinds.def"
	NODE_KINDS
};

/* What the owner of a node is the row of. */
enum node_owner {
	OWNER_NOTHING,
	OWNER_MODULE,
	OWNER_NAME,
	OWNER_LOSS
};

enum node_offset {
	NODE_NO_OFFSET,
	NODE_OFFSET
};

extern const struct node_info {
	enum node_owner owner;
	enum node_offset offset;
} node_infos[NODE_KINDS];

/* How the process ended, as its parent saw it. */
enum profile_end {
	END_UNKNOWN, /* recovered, or still running */
	END_EXIT,    /* end_code: exit status */
	END_SIGNAL,  /* end_code: signal */
	END_UNSEEN,  /* of a process that the program started: it has ended */
	END_STUCK,   /* end_code: signal of copse run, since the job hung */
};

#define PROFILE_NO_COMM       UINT32_MAX
#define PROFILE_SEVERAL_COMMS (UINT32_MAX - 1)
#define PROFILE_HOST          UINT32_MAX /* in place of a device */

#define THREAD_NAME 16 /* bytes of a thread's name, in Linux */

/* Later moments of CLOCK_MONOTONIC are damage: 36 years after boot. */
#define PROFILE_TIME_MOST ((uint64_t)1 << 60)

/*
 * The structs that have rows in profile.def, named and described there; clock
 * and wall are of enum live_clock and live_wall, class and detail of enum
 * live_name_class and live_mpi_class, kind is of the enum of its table.
 */
#define TABLE(record, ...)      struct record {
#define RECORD                  TABLE
#define COLUMN(type, name, ...) type name;
#define CHARS(size, name, ...)  char name[size];
#define MEMBER                  COLUMN
#define END_TABLE                                                              \
	}                                                                      \
	;
#include "profile/profile.def"

struct profile_column { /* values sorted by node, then thread; none is 0 */
	char name[56];
	enum unit unit;
	enum merge merge;
	size_t count;
	struct profile_value *values;
	struct counting counting;
};

struct profile {
	struct profile_identity id;
	struct profile_gpu_times gpu; /* all devices of the process together */
	struct profile_gpu_known gpu_known; /* 0: to the end */
	struct profile_column *columns;
	size_t column_count;
#define TABLE(record, array, number, ...)                                      \
	struct record *array;                                                  \
	size_t number;
#include "profile/profile.def"
};

/* profile.c */
void profile_free(struct profile *p); /* NULL is fine */

/* The last sign of life: a sample, a call, or a look at its memory. */
uint64_t profile_last_ns(const struct profile *p);

/* A kind of node, and an owner of such a node, that there are. */
bool profile_has_owner(const struct profile *p, uint32_t kind, uint32_t owner);

/* The column of that name, or NULL. */
const struct profile_column *profile_column(const struct profile *p,
					    const char *name);

/*
 * from-live.c: the profile that a live profile (or a raw copy of one) of
 * `size` bytes at `data` holds.  0; -EINVAL with a reason when it is none or
 * damaged beyond use.  What is damaged in part is left out.
 */
int profile_from_live(struct profile **to, const void *data, size_t size);

/* rank-file.c: the columns of struct cores and of struct family. */
struct store_field;
const struct store_field *profile_cores_fields(void),
	*profile_family_fields(void);

/* rank-file.c: 0, or -errno with a reason that names the file. */
int profile_save(const struct profile *p, const char *path);

/* The same in that folder, as regular.h has it. */
int profile_save_in(const struct profile *p, int dir, const char *path);

/* Reads rank-N.h5, or a raw copy of a live profile (rank-N.live). */
int profile_load(struct profile **to, const char *path);

/* A rank file that is a piece of another file (node-file.h). */
int profile_load_piece(struct profile **to, const char *path,
		       struct file_extent piece);
