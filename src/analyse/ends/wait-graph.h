/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wait-graph.h - who waited for whom in the end, and who is to blame.
 *
 * Each rank that is in a call waits for one other: the partner of its message,
 * or a member of the communicator that has not come to the same collective
 * call.  Following that from rank to rank leads to one that waits for nobody,
 * to a circle, or to a call for which all that it needs have come.  So every
 * rank that waits has one verdict, and ranks of equal verdict are one.
 *
 * Method    A wait-for graph as in deadlock detection (Holt, 1972), of one edge
 *           a rank.  Collective calls are told apart by their number on the
 *           communicator, which all its processes count alike.
 * Ownership The run must outlive the graph.
 */
#pragma once

#include "run/run.h"

enum stand {
	STAND_UNKNOWN, /* no profile, or no call of MPI */
	STAND_ENDED,   /* a second or more before the last */
	STAND_STOPPED, /* by a signal, wherever it was */
	STAND_OUTSIDE, /* in no call */
	STAND_POLLS,   /* in none, but its last ones found nothing */
	STAND_CALL     /* in a call that did not return */
};

enum verdict_kind {
	VERDICT_NONE,    /* it does not wait */
	VERDICT_RANK,    /* for a rank that waits for nobody */
	VERDICT_INSTEAD, /* for one that is in another call instead */
	VERDICT_CIRCLE,  /* ranks that wait for one another's messages */
	VERDICT_ARRIVED, /* for nobody: all that it needs have come */
	VERDICT_NOBODY,  /* a message, and it is not known whose */
	VERDICT_ABSENT,  /* for ranks of which there is no profile */
	VERDICT_BEGIN    /* in MPI_Init, for whoever has not come to it */
};

#define WAIT_NOBODY UINT32_MAX

struct standing {                         /* of a member, by its index */
	const struct run_last_call *call; /* NULL: none */
	enum stand stand;
	uint32_t group;   /* of those in the same collective call; or none */
	uint32_t next;    /* member that it waits for; WAIT_NOBODY */
	uint32_t verdict; /* index */
};

/* Those in the same collective call of a communicator. */
struct wait_group {
	uint64_t comm, instance;
	uint32_t first;   /* member that is in it */
	uint32_t count;   /* members that are */
	uint32_t known;   /* that the communicator is known to have */
	uint32_t missing; /* that have not come to it … */
	uint32_t culprit; /* … one of them: it waits for nobody, if any does */
	uint32_t size;    /* of the communicator */
	bool mixed;       /* they are in different functions */
	bool roots;       /* they name different ones */
	bool begun;       /* some began it without blocking, others did not */
};

struct wait_verdict {
	enum verdict_kind kind;
	uint32_t culprit; /* member; WAIT_NOBODY: none */
	uint32_t group;   /* of ARRIVED, or in which they meet; WAIT_NOBODY */
	uint32_t waiting; /* members */
	uint64_t age_ns;  /* since when the one that waits longest does */
};

struct wait_graph {
	const struct run *run;
	struct standing *at; /* by member */
	struct wait_group *groups;
	struct wait_verdict *verdicts; /* 0: VERDICT_NONE; by waiting */
	size_t group_count, verdict_count, group_room, verdict_room;
	uint32_t *member_of; /* by rank in MPI_COMM_WORLD; WAIT_NOBODY */
	uint32_t absent;     /* ranks of which there is no profile */
};

/* 0, or -ENOMEM with a reason. */
int wait_graph_init(struct wait_graph *g, const struct run *run);
void wait_graph_fini(struct wait_graph *g);

/* The verdict that most ranks have; NULL: nobody waits. */
const struct wait_verdict *wait_graph_main(const struct wait_graph *g);

/* The member has a verdict, and is not to blame itself. */
bool wait_graph_waits(const struct wait_graph *g, uint32_t member);

/* "2, 5": ranks of which there is no profile; to be freed, NULL: no memory. */
char *wait_graph_absent_text(const struct wait_graph *g);

/* Locks of windows that it holds, of communicators that ranks wait on. */
uint32_t wait_graph_locks(const struct wait_graph *g, uint32_t member);

/* The function that the member is, or was, in: "MPI_Recv"; "" for none. */
const char *wait_graph_function(const struct wait_graph *g, uint32_t member);
