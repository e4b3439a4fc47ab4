/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * livedir.h - the folder in shared memory where the processes of one
 * `copse run` keep their live profiles, with a note that says whose they are.
 *
 * It is /dev/shm/copse-UID/PID-START, PID and START those of the parent, so
 * that a left-over one can be told from one in use.  The first level must be
 * a directory of ours with mode 0700, not a link, or it is not used:
 * anybody may have made it, and all users of rootless containers are user 0.
 * Then it is copse-UID.XXXXXX, which no one can foresee, and is found again by
 * whose it is.
 */
#ifndef LAUNCH_LIVEDIR_H
#define LAUNCH_LIVEDIR_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <sys/types.h>

#include "base/batch.h"
#include "live/tally.h"

struct live_note { /* the file `job`: one line each, in this order */
	char key[192];
	char output[PATH_MAX]; /* absolute */
	int rank, size;        /* the launcher's word */
	int parent;
	uint64_t parent_start;
	char command[256];
	struct batch batch; /* not in notes of older versions */
};

struct live_file {
	char name[64]; /* "PID.SEQUENCE.live" */
	pid_t pid;
	unsigned int sequence;
};

/*
 * The first level, which all of this user's have in common on this host, made
 * if need be.  0, or -errno with a reason: it is not there, or not usable.
 */
int livedir_base(char to[PATH_MAX]);

/* A fresh folder with that note; the parent's fields are filled in. */
int livedir_new(char to[PATH_MAX], struct live_note *note);

/*
 * What its processes counted together; all 0 where that is not known.  Of
 * folders of older versions nothing is.
 */
void livedir_tally(const char *path, struct live_tally *to);

/* True while a process lives that is measured there, profile or not. */
bool livedir_lived_in(const char *path);

/*
 * Those processes, as people write it: "process 12 (sh)", "processes 12 (sh),
 * 13 (cat) and 4 more"; "" when none is found.  Freed by the caller.
 */
char *livedir_inhabitants(const char *path);

/* Remove it with everything in it. */
void livedir_remove(const char *path);

/*
 * 0, or -errno with a reason: then its parent is known by the folder's name,
 * and there is no command.
 */
int livedir_note(const char *path, struct live_note *note);

/* What became known of its batch job since; where that fails, it stays. */
void livedir_renote(const char *path, const struct batch *batch);

/* Its live profiles, by process and sequence; freed by the caller. */
size_t livedir_files(const char *path, struct live_file **to);

/* Ranks that are not measured, as their processes said; the number of them. */
size_t livedir_left_out(const char *path, int *ranks, size_t most);

/*
 * Call `each` with every folder of this user on this host until it returns
 * something else than 0; 0 when there is none.
 */
int livedir_each(int (*each)(const char *path, void *to), void *to);

/* True when the parent that made it still runs. */
bool livedir_in_use(const struct live_note *note);

/* What it takes, and when the last of it was made. */
struct live_usage {
	uint64_t bytes;
	time_t changed;
};
struct live_usage livedir_usage(const char *path);

#endif
