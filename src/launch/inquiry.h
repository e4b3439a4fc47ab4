/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inquiry.h - asks the other hosts of a run what their ranks wait for.
 *
 * The one who asks makes the folder .stuck in the run's directory, which all
 * hosts share, with a file `ask`.  On each host the parent of one rank looks
 * for that file every few seconds, and starts `copse stuck --answer`, which
 * puts HOST.h5 there: what the ranks of that host do (run-join.h).
 *
 * A folder of another user is not answered, one that is older than a minute is
 * removed by the next who asks.
 *
 * copse top asks in the same way in .top, and goes on asking: the time of `ask`
 * changes with each of its looks.  Each host's `copse top --answer` writes
 * HOST.top there again and again (recent-summary.h), until nobody asks.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum inquiry_kind {
	INQUIRY_STUCK,
	INQUIRY_TOP,
	INQUIRY_KINDS
};

struct inquiry {
	enum inquiry_kind kind;
	char *folder; /* absolute; NULL: there is nobody to ask */
	bool made;    /* by us, who remove it */
	char **hosts; /* the others that the run has processes on */
	size_t host_count;
};

/*
 * Ask those hosts that have begun to write to the run's directory, without this
 * one if `is_here`; `between` is the time between two looks in seconds.  0;
 * -EBUSY with a reason: somebody else asks; or -errno with a reason.
 */
int inquiry_open(struct inquiry *q, const char *directory, bool is_here,
		 double between);

/*
 * For copse top: go on asking the hosts that there are now to answer each
 * `delay` seconds.  `q` is empty at first.  0, or -errno with a reason.
 */
int inquiry_keep(struct inquiry *q, const char *directory, bool is_here,
		 double delay);

/* Whether hosts have begun to write to that directory, and are not done. */
bool inquiry_goes_on(const char *directory);

/* Until all have answered, or for so long; true: they have. */
bool inquiry_wait(const struct inquiry *q, double seconds);

/*
 * The answer of host `i`; to be freed.  NULL: there is none, of copse top's
 * none of the last minute, or no memory.
 */
char *inquiry_answer(const struct inquiry *q, size_t i);

void inquiry_close(struct inquiry *q);

/* Where the answer of this host belongs; to be freed. */
char *inquiry_own_answer(const char *folder, enum inquiry_kind kind);

/* When it was asked last; 0: nobody does. */
uint64_t inquiry_asked(const char *folder);

/* This host gives copse top no more answers. */
void inquiry_leave(const char *folder);

/* Of a parent. */
struct inquiry_watch {
	const char *directory; /* the run's; the caller's */
	uint64_t every_ns;     /* between two looks; 0: another's task */
	uint64_t next_ns;
	struct {
		uint64_t answered; /* the last question's time */
		pid_t child;
	} of[INQUIRY_KINDS];
};

/*
 * The parent of the host's first rank looks, or each of them, less often, where
 * it is not known which one is that (-1).
 */
void inquiry_watch_init(struct inquiry_watch *w, const char *directory,
			int local_rank);

/* Look whether somebody asks, when it is time. */
void inquiry_look(struct inquiry_watch *w, uint64_t now);
