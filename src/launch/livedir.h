/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * livedir.h - the folder in shared memory where the processes of one
 * `copse run` keep their live profiles, with a note that says whose they are.
 *
 * The folder is /dev/shm/copse-UID/PID-START, where PID and START are those of
 * the parent.  They tell a folder in use from one that was left over.
 *
 * The first level is used only when it is a directory of this user with mode
 * 0700, and no link: anybody may have made it, and all users of rootless
 * containers are user 0.  Otherwise we make copse-UID.XXXXXX, a name that
 * nobody can predict, and find it again by its owner.
 */
#pragma once

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
 * The first level, which all runs of this user on this host share; it is made
 * if needed.  -errno with a reason when it cannot be used.
 */
int livedir_base(char to[PATH_MAX]);

/* Make a folder with that note, and fill in the note's fields `parent`. */
int livedir_new(char to[PATH_MAX], struct live_note *note);

/*
 * What its processes counted together; all 0 when it is not known, as in
 * folders of older versions.
 */
void livedir_tally(const char *path, struct live_tally *to);

/* True while a process is alive that is measured there, profile or not. */
bool livedir_lived_in(const char *path);

/*
 * Those processes, as people write it: "process 12 (sh)", "processes 12 (sh),
 * 13 (cat) and 4 more"; "" when none is found.  Freed by the caller.  `first`
 * gets the first one, or 0; NULL: not wanted.
 */
char *livedir_inhabitants(const char *path, pid_t *first);

/* Remove it with everything in it. */
void livedir_remove(const char *path);

/*
 * Read the note.  -errno with a reason; the parent is then taken from the name
 * of the folder, and the command is empty.
 */
int livedir_note(const char *path, struct live_note *note);

/* Replace the note's batch job; on failure the note stays as it was. */
void livedir_renote(const char *path, const struct batch *batch);

/* Its live profiles, sorted by process and sequence; the caller frees them. */
size_t livedir_files(const char *path, struct live_file **to);

/* The ranks that said they are not measured; returns their number. */
size_t livedir_left_out(const char *path, int *ranks, size_t most);

/*
 * Call `each` with every folder of this user on this host until it returns
 * something else than 0; 0 when there is none.
 */
int livedir_each(int (*each)(const char *path, void *to), void *to);

/* True when the parent that made it still runs. */
bool livedir_in_use(const struct live_note *note);

/* Its size, and when it last changed. */
struct live_usage {
	uint64_t bytes;
	time_t changed;
};
struct live_usage livedir_usage(const char *path);
