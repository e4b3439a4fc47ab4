/* SPDX-License-Identifier: BSD-3-Clause */
/* wait-graph.c - see wait-graph.h. */
#include "analyse/ends/wait-graph.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/comparison.h"
#include "base/err.h"
#include "live/layout.h"
#include "profile/profile.h"

#define EARLIER_NS  1000000000u
#define IN_FINALIZE UINT64_MAX       /* number of the last call of all ranks */
#define IN_INIT     (UINT64_MAX - 1) /* of the first one */
#define BEING_ASKED (UINT32_MAX - 1)

const char *wait_graph_function(const struct wait_graph *g, uint32_t member)
{
	const struct run_last_call *call = g->at[member].call;

	if (!call)
		return "";
	return str_at(&g->run->strings, g->run->nodes[call->node].function);
}

static bool is_named(const struct wait_graph *g, uint32_t member,
		     const char *function)
{
	return !strcasecmp(wait_graph_function(g, member), function);
}

/*
 * How each rank stands.
 */

static uint64_t rank_end(const struct run_rank *r)
{
	return r->start_real_ns + r->elapsed_ns;
}

/*
 * What a call says of its process: one of MPI that is open, more than one of
 * devices that has not ended, more than one of CUDA in which a thread waits for
 * devices, more than any that has returned.
 */
static int call_weight(const struct run *run, const struct run_last_call *call)
{
	if (!call->open)
		return 0;
	if (call->device)
		return 2;
	return run->nodes[call->node].kind == RUN_MPI ? 3 : 1;
}

static bool is_main_thread(const struct run *run,
			   const struct run_last_call *call)
{
	return call->tid == run->ranks[call->rank].pid;
}

/*
 * Of several threads the one that is in a call, the longest; else the main one,
 * if all calls are of CUDA, whose helpers call it as well; else the last.
 */
static bool is_better_call(const struct run *run, const struct run_last_call *a,
			   const struct run_last_call *b)
{
	int of_a = call_weight(run, a), of_b = b ? call_weight(run, b) : -1;

	if (of_a != of_b)
		return of_a > of_b;
	if (a->open)
		return a->begin_age_ns > b->begin_age_ns;
	if (!run_has_mpi(run) &&
	    is_main_thread(run, a) != is_main_thread(run, b))
		return is_main_thread(run, a);
	return a->completed_age_ns < b->completed_age_ns;
}

static void find_calls(struct wait_graph *g)
{
	const struct run_ends *ends = &g->run->ends;

	for (size_t i = 0; i < ends->call_count; i++) {
		const struct run_last_call *call = &ends->calls[i];

		if (call->rank < g->run->member_count &&
		    is_better_call(g->run, call, g->at[call->rank].call))
			g->at[call->rank].call = call;
	}
}

/* By itself, not with all others when the job was killed, nor by us. */
static bool has_ended_first(const struct run_rank *r,
			    const struct run_rank *last)
{
	uint64_t ns = rank_end(last) - rank_end(r);
	bool alike = r->end == last->end && r->end_code == last->end_code;

	return r->end != END_UNKNOWN && r->end != END_STUCK &&
	       ns > (alike ? 10 * EARLIER_NS : EARLIER_NS);
}

/* It may be seen within one of its polls. */
static bool is_polling(const struct run_last_call *call)
{
	return call->polls &&
	       (!call->open || call->begin_age_ns < call->completed_age_ns / 2);
}

static enum stand stand_of(const struct standing *s, const struct run_rank *r,
			   const struct run_rank *last)
{
	if (has_ended_first(r, last))
		return STAND_ENDED;
	if (!s->call)
		return STAND_UNKNOWN;
	if (s->call->stopped)
		return STAND_STOPPED;
	if (is_polling(s->call))
		return STAND_POLLS;
	return s->call->open ? STAND_CALL : STAND_OUTSIDE;
}

static void find_stands(struct wait_graph *g)
{
	const struct run *run = g->run;
	const struct run_rank *last = run->ranks;

	for (size_t i = 0; i < run->member_count; i++)
		if (rank_end(&run->ranks[i]) > rank_end(last))
			last = &run->ranks[i];
	for (size_t i = 0; i < run->member_count; i++) {
		struct standing *s = &g->at[i];

		s->stand = stand_of(s, &run->ranks[i], last);
		s->group = s->next = WAIT_NOBODY;
		if (run->ranks[i].rank >= 0 &&
		    (uint32_t)run->ranks[i].rank < run->world)
			g->member_of[run->ranks[i].rank] = (uint32_t)i;
	}
	for (uint32_t rank = 0; rank < run->world; rank++)
		g->absent += g->member_of[rank] == WAIT_NOBODY;
}

/*
 * Groups.
 */

/* A wait for a collective call that was begun before it is that call. */
static bool in_collective(const struct wait_graph *g, uint32_t member)
{
	const struct standing *s = &g->at[member];
	const struct run_node *node;

	if (!s->call || s->stand < STAND_POLLS || !s->call->comm)
		return false;
	node = &g->run->nodes[s->call->node];
	if (s->call->direction != LIVE_OPEN_CALL)
		return false;
	return s->call->device || node->detail == LIVE_MPI_COLL ||
	       node->detail == LIVE_MPI_IO || s->call->requests ||
	       (node->detail == LIVE_MPI_RMA && s->call->peer < 0);
}

static uint64_t instance_of(const struct run_last_call *call)
{
	return call->requests && call->instance ? call->instance - 1
						: call->instance;
}

static bool have_other_roots(const struct wait_graph *g, uint32_t a, uint32_t b)
{
	int32_t of_a = g->at[a].call->peer, of_b = g->at[b].call->peer;

	return of_a >= 0 && of_b >= 0 && of_a != of_b;
}

/* They make the same call, as far as is known. */
static bool are_equal_calls(const struct wait_graph *g, uint32_t a, uint32_t b)
{
	return g->at[a].call->bytes == g->at[b].call->bytes &&
	       !strcmp(wait_graph_function(g, a), wait_graph_function(g, b));
}

/* What differs between members of a group. */
static void compare_in_group(const struct wait_graph *g, struct wait_group *of,
			     uint32_t member)
{
	bool begun = g->at[member].call->requests;
	bool first_begun = g->at[of->first].call->requests;

	of->mixed |= !begun && !first_begun &&
		     !are_equal_calls(g, member, of->first);
	of->begun |= begun != first_begun;
	of->roots |= have_other_roots(g, member, of->first);
}

static uint32_t put_wait_group(struct wait_graph *g, uint32_t member,
			       uint64_t comm, uint64_t instance)
{
	struct wait_group one = { .comm = comm,
				  .instance = instance,
				  .first = member,
				  .culprit = WAIT_NOBODY };
	size_t i = 0;

	while (i < g->group_count &&
	       (g->groups[i].comm != comm || g->groups[i].instance != instance))
		i++;
	if (i == g->group_count &&
	    !array_append(&g->groups, &g->group_count, &g->group_room,
			  sizeof(one), &one))
		return WAIT_NOBODY;
	g->groups[i].count++;
	compare_in_group(g, &g->groups[i], member);
	return (uint32_t)i;
}

/* Calls in which all processes of the job meet; 0: it is none of them. */
static uint64_t meeting_of_all(const struct wait_graph *g, uint32_t member)
{
	if (g->at[member].stand != STAND_CALL)
		return 0;
	if (is_named(g, member, "MPI_Finalize"))
		return IN_FINALIZE;
	return is_named(g, member, "MPI_Init") ||
			       is_named(g, member, "MPI_Init_thread")
		       ? IN_INIT
		       : 0;
}

static int find_wait_groups(struct wait_graph *g)
{
	for (uint32_t i = 0; i < g->run->member_count; i++) {
		struct standing *s = &g->at[i];
		uint64_t meeting = meeting_of_all(g, i);

		if (!meeting && !in_collective(g, i))
			continue;
		s->group = put_wait_group(g, i, meeting ? 0 : s->call->comm,
					  meeting ? meeting
						  : instance_of(s->call));
		if (s->group == WAIT_NOBODY)
			return no_memory();
	}
	return 0;
}

/* One that waits for nobody is to blame, rather than one that waits. */
static bool blames_more(const struct wait_graph *g, uint32_t a, uint32_t b)
{
	return b == WAIT_NOBODY ||
	       (g->at[a].stand != STAND_CALL && g->at[b].stand == STAND_CALL);
}

static void count_missing(struct wait_graph *g, struct wait_group *to,
			  uint32_t member)
{
	to->missing++;
	if (blames_more(g, member, to->culprit))
		to->culprit = member;
}

/* All ranks have to come to MPI_Finalize. */
static void miss_in_finalize(struct wait_graph *g, uint32_t group)
{
	struct wait_group *to = &g->groups[group];

	to->size = g->run->world;
	to->known = to->size - g->absent;
	for (uint32_t i = 0; i < g->run->member_count; i++)
		if (g->at[i].group != group)
			count_missing(g, to, i);
}

ORDER_BY(by_entered_rank, struct run_entered, ASC(comm) ?: ASC(rank))

/* How far the member has come on that communicator; NULL: not known. */
static const struct run_entered *find_entered(const struct run_ends *ends,
					      uint64_t comm, uint32_t rank)
{
	const struct run_entered key = { .comm = comm, .rank = rank };

	return ends->entered_count
		       ? bsearch(&key, ends->entered, ends->entered_count,
				 sizeof(key), by_entered_rank)
		       : NULL;
}

static void miss_in_comm(struct wait_graph *g, uint32_t group)
{
	const struct run_ends *ends = &g->run->ends;
	struct wait_group *to = &g->groups[group];

	for (size_t i = 0; i < ends->entered_count; i++) {
		const struct run_entered *e = &ends->entered[i];

		if (e->comm != to->comm)
			continue;
		to->size = e->size;
		to->known++;
		if (e->rank < g->run->member_count &&
		    e->instances <= to->instance &&
		    g->at[e->rank].group != group)
			count_missing(g, to, e->rank);
	}
}

/* The root of such a call, if it is not there, keeps all from it. */
static uint32_t root_missing(const struct wait_graph *g, uint32_t member)
{
	const struct run_last_call *call = g->at[member].call;
	const struct wait_group *group = &g->groups[g->at[member].group];
	const struct run_entered *e;
	uint32_t root;

	if (call->peer < 0 || (uint32_t)call->peer >= g->run->world)
		return group->culprit;
	root = g->member_of[call->peer];
	if (root == WAIT_NOBODY || root == member ||
	    g->at[root].group == g->at[member].group)
		return group->culprit;
	e = find_entered(&g->run->ends, group->comm, root);
	return e && e->instances <= group->instance ? root : group->culprit;
}

static bool is_one_sided(const struct wait_graph *g, uint32_t member)
{
	const struct standing *s = &g->at[member];

	return s->stand == STAND_CALL &&
	       g->run->nodes[s->call->node].detail == LIVE_MPI_RMA;
}

/*
 * Who holds a lock of a window that a one-sided call may wait for; rather one
 * that is not in such a call itself, as a lock may be taken with the first one.
 */
static uint32_t find_lock_holder(const struct wait_graph *g, uint32_t member)
{
	const struct run_last_call *call = g->at[member].call;
	uint32_t best = WAIT_NOBODY;

	if (!is_one_sided(g, member))
		return WAIT_NOBODY;
	for (size_t i = 0; i < g->run->ends.entered_count; i++) {
		const struct run_entered *e = &g->run->ends.entered[i];

		if (e->comm == call->comm && e->locks && e->rank != member &&
		    e->rank < g->run->member_count &&
		    (e->locked < 0 || e->locked == call->peer) &&
		    (best == WAIT_NOBODY || is_one_sided(g, best)))
			best = e->rank;
	}
	return best;
}

/*
 * Edges.
 */

static void find_waited(struct wait_graph *g, uint32_t member)
{
	struct standing *s = &g->at[member];

	if (s->group != WAIT_NOBODY)
		s->next = root_missing(g, member);
	else if ((s->stand == STAND_CALL || s->stand == STAND_POLLS) &&
		 s->call->peer >= 0 &&
		 (uint32_t)s->call->peer < g->run->world) {
		s->next = find_lock_holder(g, member);
		if (s->next == WAIT_NOBODY)
			s->next = g->member_of[s->call->peer];
	}
	if (s->next == member)
		s->next = WAIT_NOBODY;
}

/* A call that asks for somebody, whoever that is. */
static bool waits_at_all(const struct standing *s)
{
	return s->next != WAIT_NOBODY || s->group != WAIT_NOBODY ||
	       (s->stand == STAND_CALL && s->call->direction != LIVE_OPEN_CALL);
}

/*
 * Verdicts.
 */

static uint32_t put_verdict(struct wait_graph *g, enum verdict_kind kind,
			    uint32_t culprit, uint32_t group)
{
	struct wait_verdict one = { .kind = kind,
				    .culprit = culprit,
				    .group = group };

	for (size_t i = 0; i < g->verdict_count; i++)
		if (g->verdicts[i].kind == kind &&
		    g->verdicts[i].culprit == culprit &&
		    g->verdicts[i].group == group)
			return (uint32_t)i;
	if (!array_append(&g->verdicts, &g->verdict_count, &g->verdict_room,
			  sizeof(one), &one))
		return 0;
	return (uint32_t)g->verdict_count - 1;
}

static uint32_t count_equal_calls(const struct wait_graph *g, uint32_t group,
				  uint32_t member)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < g->run->member_count; i++)
		count += g->at[i].group == group &&
			 are_equal_calls(g, i, member);
	return count;
}

/* Of those that call different functions the first of the fewest. */
static uint32_t rarest_in_group(const struct wait_graph *g, uint32_t group)
{
	uint32_t best = g->groups[group].first, least = UINT32_MAX;
	uint32_t last = WAIT_NOBODY;

	for (uint32_t i = 0; i < g->run->member_count; i++) {
		uint32_t count;

		if (g->at[i].group != group ||
		    (last != WAIT_NOBODY && are_equal_calls(g, i, last)))
			continue;
		last = i;
		count = count_equal_calls(g, group, last);
		if (count <= least) {
			least = count;
			best = i;
		}
	}
	return best;
}

/* It needs a rank of which nothing is known, or may. */
static bool waits_for_absent(const struct wait_graph *g,
			     const struct standing *s)
{
	int32_t peer = s->call->peer;

	if (s->group != WAIT_NOBODY)
		return g->absent &&
		       g->groups[s->group].known < g->groups[s->group].size;
	return peer >= 0 && (uint32_t)peer < g->run->world &&
	       g->member_of[peer] == WAIT_NOBODY;
}

/* Of a rank that the others come to, and that waits for nobody. */
static uint32_t judge_last(struct wait_graph *g, uint32_t member)
{
	const struct standing *s = &g->at[member];

	if (!waits_at_all(s))
		return put_verdict(g, VERDICT_RANK, member, WAIT_NOBODY);
	if (s->group != WAIT_NOBODY && g->groups[s->group].instance == IN_INIT)
		return put_verdict(g, VERDICT_BEGIN, WAIT_NOBODY, s->group);
	if (s->group != WAIT_NOBODY && g->groups[s->group].mixed)
		return put_verdict(g, VERDICT_INSTEAD,
				   rarest_in_group(g, s->group), s->group);
	if (waits_for_absent(g, s))
		return put_verdict(g, VERDICT_ABSENT, WAIT_NOBODY, s->group);
	if (s->group == WAIT_NOBODY)
		return put_verdict(g, VERDICT_NOBODY, member, WAIT_NOBODY);
	return put_verdict(g, VERDICT_ARRIVED, WAIT_NOBODY, s->group);
}

/* Members of the circle that are in a call for a message. */
static uint32_t count_messages(const struct wait_graph *g, uint32_t member)
{
	uint32_t count = 0, at = member;

	do {
		count += g->at[at].group == WAIT_NOBODY;
		at = g->at[at].next;
	} while (at != member);
	return count;
}

/* The fewer are elsewhere; of as many those that have nothing left to do. */
static bool stands_out(const struct wait_graph *g, uint32_t a, uint32_t b,
		       uint32_t messages)
{
	const struct standing *of[] = { &g->at[a], &g->at[b] };
	uint32_t count[2];

	for (int i = 0; i < 2; i++)
		count[i] = of[i]->group == WAIT_NOBODY
				   ? messages
				   : g->groups[of[i]->group].count;
	return count[0] < count[1] ||
	       (count[0] == count[1] && is_named(g, a, "MPI_Finalize") &&
		!is_named(g, b, "MPI_Finalize"));
}

/*
 * In a circle the few that are elsewhere are to blame, if some of it are in a
 * collective call; a circle of messages has nobody to blame.
 */
static uint32_t judge_circle(struct wait_graph *g, uint32_t member)
{
	uint32_t messages = count_messages(g, member);
	uint32_t least = member, first = member, at = member;
	bool collective = false;

	do {
		collective |= g->at[at].group != WAIT_NOBODY;
		if (stands_out(g, at, least, messages))
			least = at;
		first = at < first ? at : first;
		at = g->at[at].next;
	} while (at != member);
	return collective ? put_verdict(g, VERDICT_INSTEAD, least, WAIT_NOBODY)
			  : put_verdict(g, VERDICT_CIRCLE, first, WAIT_NOBODY);
}

/* Follow the edges, then give all on the way what was found at its end. */
static void judge_member(struct wait_graph *g, uint32_t member)
{
	uint32_t at = member, verdict;

	while (!g->at[at].verdict && g->at[at].next != WAIT_NOBODY) {
		g->at[at].verdict = BEING_ASKED;
		at = g->at[at].next;
	}
	if (g->at[at].verdict == BEING_ASKED)
		verdict = judge_circle(g, at);
	else if (g->at[at].verdict)
		verdict = g->at[at].verdict;
	else
		verdict = judge_last(g, at);
	if (!g->at[at].verdict && waits_at_all(&g->at[at]))
		g->at[at].verdict = verdict;
	for (at = member; g->at[at].verdict == BEING_ASKED; at = g->at[at].next)
		g->at[at].verdict = verdict;
}

bool wait_graph_waits(const struct wait_graph *g, uint32_t member)
{
	const struct standing *s = &g->at[member];
	const struct wait_verdict *v = &g->verdicts[s->verdict];

	if (v->kind == VERDICT_CIRCLE)
		return true;
	if (!s->verdict || v->culprit == member)
		return false;
	return v->kind != VERDICT_INSTEAD || s->group == WAIT_NOBODY ||
	       s->group != g->at[v->culprit].group ||
	       !are_equal_calls(g, member, v->culprit);
}

static void count_verdict_ranks(struct wait_graph *g)
{
	for (size_t i = 0; i < g->run->member_count; i++) {
		const struct standing *s = &g->at[i];
		struct wait_verdict *v = &g->verdicts[s->verdict];
		uint64_t age;

		if (!wait_graph_waits(g, (uint32_t)i))
			continue;
		age = s->stand == STAND_POLLS ? s->call->completed_age_ns
					      : s->call->begin_age_ns;
		v->waiting++;
		if (age > v->age_ns)
			v->age_ns = age;
	}
}

/*
 * Of a message that is not known whose: those who wait for the rank that wants
 * it wait for a rank that is in another call; where nobody does it waits alone.
 */
static void settle_nobody(struct wait_graph *g)
{
	for (size_t i = 1; i < g->verdict_count; i++) {
		struct wait_verdict *v = &g->verdicts[i];

		if (v->kind != VERDICT_NOBODY)
			continue;
		v->kind = VERDICT_INSTEAD;
		for (size_t m = 0; m < g->run->member_count; m++)
			v->waiting += m != v->culprit && g->at[m].verdict == i;
		if (!v->waiting) {
			v->kind = VERDICT_NOBODY;
			v->culprit = WAIT_NOBODY;
		}
		v->waiting = 0;
	}
}

static int judge_all(struct wait_graph *g)
{
	put_verdict(g, VERDICT_NONE, WAIT_NOBODY, WAIT_NOBODY);
	if (!g->verdict_count)
		return no_memory();
	for (uint32_t i = 0; i < g->run->member_count; i++)
		if (waits_at_all(&g->at[i]) && !g->at[i].verdict)
			judge_member(g, i);
	settle_nobody(g);
	count_verdict_ranks(g);
	return 0;
}

int wait_graph_init(struct wait_graph *g, const struct run *run)
{
	int err;

	*g = (struct wait_graph){ .run = run };
	g->at = calloc(run->member_count + 1, sizeof(*g->at));
	g->member_of = malloc((run->world + 1ul) * sizeof(*g->member_of));
	if (!g->at || !g->member_of) {
		wait_graph_fini(g);
		return no_memory();
	}
	for (uint32_t i = 0; i < run->world; i++)
		g->member_of[i] = WAIT_NOBODY;
	find_calls(g);
	find_stands(g);
	err = find_wait_groups(g);
	for (uint32_t i = 0; i < g->group_count; i++) {
		if (g->groups[i].instance == IN_FINALIZE)
			miss_in_finalize(g, i);
		else
			miss_in_comm(g, i);
	}
	for (uint32_t i = 0; i < run->member_count; i++)
		find_waited(g, i);
	if (!err)
		err = judge_all(g);
	if (err)
		wait_graph_fini(g);
	return err;
}

void wait_graph_fini(struct wait_graph *g)
{
	free(g->at);
	free(g->groups);
	free(g->verdicts);
	free(g->member_of);
	*g = (struct wait_graph){ 0 };
}

char *wait_graph_absent_text(const struct wait_graph *g)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	uint32_t next;

	if (!to)
		return NULL;
	for (uint32_t at = 0; at < g->run->world && ftell(to) < 60; at = next) {
		next = at + 1;
		if (g->member_of[at] != WAIT_NOBODY)
			continue;
		while (next < g->run->world &&
		       g->member_of[next] == WAIT_NOBODY)
			next++;
		fprintf(to, "%s%u", ftell(to) ? ", " : "", at);
		if (next > at + 1)
			fprintf(to, "%s%u", next > at + 2 ? "–" : ", ",
				next - 1);
	}
	return fclose(to) ? NULL : text;
}

uint32_t wait_graph_locks(const struct wait_graph *g, uint32_t member)
{
	const struct run_ends *ends = &g->run->ends;
	uint32_t locks = 0;

	for (size_t i = 0; i < ends->entered_count; i++)
		if (ends->entered[i].rank == member)
			locks += ends->entered[i].locks;
	return locks;
}

const struct wait_verdict *wait_graph_main(const struct wait_graph *g)
{
	const struct wait_verdict *best = NULL;

	for (size_t i = 1; i < g->verdict_count; i++)
		if (!best || g->verdicts[i].waiting > best->waiting)
			best = &g->verdicts[i];
	return best;
}
