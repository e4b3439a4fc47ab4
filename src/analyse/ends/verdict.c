/* SPDX-License-Identifier: BSD-3-Clause */
/* verdict.c - see verdict.h. */
#include "analyse/ends/verdict.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/ends/ends.h"
#include "analyse/mpi/mpi-callsites.h"
#include "base/err.h"
#include "base/signal-name.h"
#include "profile/profile.h"

#define HANG_FIELDS(FIELD)                                                     \
	FIELD(KIND, "kind", TEXT,                                              \
	      "where waiting ends: rank, instead, circle, arrived, nobody, "   \
	      "absent (no profile), begin (in MPI_Init)")                      \
	FIELD(WAITS, "waits", TEXT, "who has waited, how long and where")      \
	FIELD(FUNCTION, "function", TEXT, "that most of them are in")          \
	FIELD(PATH, "path", TEXT, "on which they are: f ← its caller ← …")     \
	FIELD(ROLE, "role", TEXT, "in that call: send, receive, call")         \
	FIELD(REQUESTS, "requests", COUNT, "that it waits for")                \
	FIELD(WAITING, "waiting", COUNT, "ranks that wait")                    \
	FIELD(WORLD, "world", COUNT, "ranks of the job")                       \
	FIELD(AGE, "age", SECONDS, "of the longest wait")                      \
	FIELD(CULPRIT, "culprit", TEXT, "rank 3, for which they wait")         \
	FIELD(STAND, "stand", TEXT,                                            \
	      "of it: not known, ended, stopped, outside, polls, call")        \
	FIELD(DOES, "does", TEXT, "clause: which is in f ← its caller")        \
	FIELD(THERE, "there", TEXT,                                            \
	      "sleeps in f ← its caller ←, of a thread that does; or path")    \
	FIELD(UNFINISHED, "unfinished", TEXT,                                  \
	      "; of what it launched on GPUs 2 have not ended, from …; or "  \
	      "nothing")                                                       \
	FIELD(ROLE_THERE, "role_there", TEXT, "of the call that it is in")     \
	FIELD(OTHER_COMM, "other_communicator", NUMBER,                        \
	      "1: it is in that function, on another one")                     \
	FIELD(ROOTS, "roots", NUMBER, "1: they name different roots")          \
	FIELD(BEGUN, "begun", NUMBER,                                          \
	      "1: some began it without blocking, others did not")             \
	FIELD(ABSENT, "absent", TEXT, "2, 5: ranks without a profile")         \
	FIELD(HOLDS, "holds", COUNT, "locks of windows that it has")           \
	FIELD(SIGNAL, "signal", NUMBER, "that ended it")                       \
	FIELD(STATUS, "status", NUMBER, "with which it ended")                 \
	FIELD(RUNNING, "running", NUMBER, "1: the job goes on")                \
	FIELD(SILENT, "silent", COUNT,                                         \
	      "of a job that goes on: processes that nothing is known of")

FACT_TABLE(hang_fields, HANG_FIELDS)

static const struct fact_set fact_set_hangs = {
	.name = "hangs",
	.meaning = "ranks that wait, by what they wait for in the end",
	.fields = hang_fields,
	.field_count = FIELDS,
};

static const struct fact_set *const hang_sets[] = { &fact_set_hangs, NULL };

const struct rule_folder stuck_rules = {
	.files = { .own = "COPSE_STUCK_RULES",
		   .folder = "rules/stuck",
		   .installed = RULESDIR "/stuck",
		   .suffix = ".rule" },
	.sets = hang_sets,
};

const char *const stand_words[] = {
	[STAND_UNKNOWN] = "not known", [STAND_ENDED] = "ended",
	[STAND_STOPPED] = "stopped",   [STAND_OUTSIDE] = "outside",
	[STAND_POLLS] = "polls",       [STAND_CALL] = "call",
};

/*
 * Texts of facts.
 */

static uint32_t comm_of_id(const struct run *run, uint64_t id)
{
	for (uint32_t i = 0; id && i < run->calls.comm_count; i++)
		if (run->calls.comms[i].id == id)
			return i;
	return RUN_NO_COMM;
}

/* "collective call 12 of 4 GPUs" */
static char *device_group_text(const struct wait_group *at)
{
	if (!at->size)
		return str_format("collective call %" PRIu64 " of GPUs",
				  at->instance + 1);
	return str_format("collective call %" PRIu64 " of %u GPUs",
			  at->instance + 1, at->size);
}

static char *mpi_group_text(const struct wait_graph *g,
			    const struct wait_group *at)
{
	char *comm = callsite_comm_text(g->run, comm_of_id(g->run, at->comm)),
	     *text = comm ? str_format("collective call %" PRIu64 " of %s",
				       at->instance + 1, comm)
			  : strdup("");

	free(comm);
	return text;
}

char *verdict_group_text(const struct wait_graph *g, uint32_t group)
{
	const struct wait_group *at = &g->groups[group];

	if (g->at[at->first].call->device)
		return device_group_text(at);
	return mpi_group_text(g, at);
}

uint32_t verdict_node(const struct standing *s)
{
	if (!s->call)
		return 0;
	return s->stand >= STAND_POLLS ? s->call->node : s->call->sample_node;
}

/* The run goes on. */
static bool is_running_still(const struct wait_graph *g)
{
	return g->run->ends.looked_ns;
}

/* How a rank ended that others waited for; to be freed. */
static char *end_text(const struct paths *paths, uint32_t member)
{
	const struct run_rank *r = &paths->run->ranks[member];
	const char *name = signal_name((int)r->end_code);
	char *place, *text;

	if (!r->end_code)
		return strdup("which had ended");
	if (r->end != END_SIGNAL)
		return str_format("which had ended with status %u",
				  r->end_code);
	place = ends_last_place(paths, member);
	if (!place)
		return NULL;
	text = name ? str_format("which had been killed by SIG%s%s", name,
				 place)
		    : str_format("which had been killed by signal %u%s",
				 r->end_code, place);
	free(place);
	return text;
}

/* " for a message from rank 1 with tag 7", of devices " of 4.00 kB", or "". */
static const char *message_text(char to[64], const struct run_last_call *call)
{
	const char *what = call->direction == LIVE_OPEN_SEND
				   ? " with a message to"
				   : " for a message from";
	int size = 0;

	*to = 0;
	if (call->device) {
		char bytes[32];

		phrase_bytes(bytes, (double)call->bytes);
		snprintf(to, 64, " of %s", bytes);
	}
	if (call->direction == LIVE_OPEN_CALL)
		return to;
	if (call->peer >= 0)
		size = snprintf(to, 64, "%s rank %d", what, (int)call->peer);
	else if (call->peer == LIVE_OPEN_ANY)
		size = snprintf(to, 64, "%s any rank", what);
	if (size && call->tag >= 0)
		snprintf(to + size, 64 - (size_t)size, " with tag %d",
			 (int)call->tag);
	return to;
}

/* Without MPI all is outside. */
static const char *outside_words(const struct run *run, const char *words)
{
	return run_has_mpi(run) ? words : "";
}

static bool has_stack(const struct wait_graph *g,
		      const struct run_last_call *call)
{
	return strstr(str_at(&g->run->strings, call->doing), " ← ");
}

/*
 * "which had waited for 3.00 s in [mutex m] ← f", "… for its threads in
 * [parallel a.c:3] ← f"; to be freed.
 */
static char *thread_wait_text(const struct wait_graph *g,
			      const struct paths *paths,
			      const struct run_last_call *call)
{
	const struct run_node *at = &g->run->nodes[call->wait_node];
	char *where = ends_where(paths, call->wait_node), age[32], *text;

	phrase_time(age, (double)call->wait_age_ns / 1e9);
	text = where ? str_format("which %s for %s %sin %s",
				  is_running_still(g) ? "has been waiting"
						      : "had waited",
				  age,
				  at->kind == RUN_PARALLEL ? "for its threads "
							   : "",
				  where)
		     : NULL;
	free(where);
	return text;
}

/* Where its stack could not be walked, with the call before; to be freed. */
static char *outside_text(const struct wait_graph *g, const struct paths *paths,
			  const struct run_last_call *call)
{
	const char *doing = str_at(&g->run->strings, call->doing);
	char *before, *text;

	if (has_stack(g, call) || !call->node)
		return str_format("which %s%s",
				  outside_words(g->run, "is outside MPI and "),
				  doing);
	before = ends_where(paths, call->node);
	if (!before)
		return NULL;
	text = str_format(run_has_mpi(g->run)
				  ? "which is outside MPI, after %s, and %s"
				  : "which, after %s, %s",
			  before, doing);
	free(before);
	return text;
}

/* What a rank did that others waited for; to be freed. */
static char *stand_text(const struct wait_graph *g, const struct paths *paths,
			uint32_t member)
{
	const struct standing *s = &g->at[member];
	char age[32], message[64], *where, *text;
	bool polls = s->stand == STAND_POLLS, call = s->stand == STAND_CALL;

	if (s->stand == STAND_UNKNOWN)
		return strdup("of which nothing is known");
	if (s->stand == STAND_STOPPED)
		return strdup("which is stopped, by a signal or a queue");
	if (s->call && s->call->wait_node && !call && !has_stack(g, s->call))
		return thread_wait_text(g, paths, s->call);
	if (s->call && s->call->doing && !call)
		return outside_text(g, paths, s->call);
	if (s->stand == STAND_ENDED)
		return end_text(paths, member);
	where = ends_where(paths, call || polls ? s->call->node
						: s->call->sample_node);
	phrase_time(age, (double)s->call->sample_age_ns / 1e9);
	if (!where)
		return NULL;
	if (call)
		text = str_format("which %s in %s%s",
				  is_running_still(g) ? "is" : "was", where,
				  message_text(message, s->call));
	else if (polls)
		text = str_format("which %s in vain in %s",
				  is_running_still(g) ? "polls" : "polled",
				  where);
	else if (s->call->sample_age_ns < ENDS_RECENTLY_NS)
		text = str_format("which %s in %s",
				  is_running_still(g) ? "computes" : "computed",
				  where);
	else
		text = str_format("which %shad not had a core for %s, last in "
				  "%s",
				  outside_words(g->run, "was outside MPI and "),
				  age, where);
	free(where);
	return text;
}

/* The call path in which most of the verdict's ranks wait. */
static uint32_t waiting_member(const struct wait_graph *g,
			       const struct paths *paths, uint32_t verdict)
{
	uint32_t *counts = calloc(paths->count + 1, sizeof(*counts)), best = 0;
	uint32_t member = WAIT_NOBODY;

	for (uint32_t i = 0; counts && i < g->run->member_count; i++) {
		const struct standing *s = &g->at[i];

		if (s->verdict != verdict || !wait_graph_waits(g, i))
			continue;
		if (++counts[paths->of[s->call->node]] > best) {
			best = counts[paths->of[s->call->node]];
			member = i;
		}
	}
	free(counts);
	return member;
}

/* "MPI_Recv ← get ← main": all of it; to be freed. */
static char *whole_path(const struct run *run, uint32_t node)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	for (uint32_t n = node; n; n = run->nodes[n].parent)
		fprintf(to, "%s%s", n == node ? "" : " ← ",
			str_at(&run->strings, run->nodes[n].function));
	return fclose(to) ? NULL : text;
}

/* "3 of 4 ranks have been waiting for 2 s in MPI_Recv ← get"; to be freed. */
static char *waits_text(const struct wait_graph *g, const struct paths *paths,
			const struct wait_verdict *v, uint32_t member)
{
	char *where = ends_where(paths, g->at[member].call->node);
	char *group = g->at[member].group == WAIT_NOBODY
			      ? strdup("")
			      : verdict_group_text(g, g->at[member].group);
	char age[32], who[64], size[64] = "", *text = NULL;

	if (g->at[member].call->device && *group &&
	    g->groups[g->at[member].group].mixed)
		message_text(size, g->at[member].call);
	if (g->run->world)
		snprintf(who, sizeof(who), "%u of %u ranks", v->waiting,
			 g->run->world);
	else
		snprintf(who, sizeof(who), "%u processes", v->waiting);
	phrase_time(age, (double)v->age_ns / 1e9);
	if (where && group)
		text = str_format("%s %s %s in %s%s%s%s", who,
				  is_running_still(g) ? "have been waiting for"
						      : "had waited for",
				  age, where, size, *group ? ", " : "", group);
	free(where);
	free(group);
	return text;
}

/* Takes the text. */
static bool set_text(struct fact *fact, enum field field, char *text)
{
	fact->values[field].text = text;
	return text;
}

static const char *role_text(const struct standing *s)
{
	static const char *const roles[] = {
		[LIVE_OPEN_CALL] = "call",
		[LIVE_OPEN_SEND] = "send",
		[LIVE_OPEN_RECEIVE] = "receive",
	};

	return s->stand == STAND_CALL && s->call->direction <= LIVE_OPEN_RECEIVE
		       ? roles[s->call->direction]
		       : "";
}

static bool add_waiting(struct fact *to, const struct wait_graph *g,
			const struct paths *paths, const struct wait_verdict *v,
			uint32_t member)
{
	static const char *const kinds[] = {
		[VERDICT_RANK] = "rank",     [VERDICT_INSTEAD] = "instead",
		[VERDICT_CIRCLE] = "circle", [VERDICT_ARRIVED] = "arrived",
		[VERDICT_NOBODY] = "nobody", [VERDICT_ABSENT] = "absent",
		[VERDICT_BEGIN] = "begin",   [VERDICT_NONE] = "",
	};
	const struct run_last_call *call = g->at[member].call;

	to->values[REQUESTS].number = call->requests;
	to->values[WAITING].number = v->waiting;
	to->values[WORLD].number = g->run->world;
	to->values[AGE].number = (double)v->age_ns / 1e9;
	to->values[ROOTS].number =
		v->group != WAIT_NOBODY && g->groups[v->group].roots;
	to->values[BEGUN].number =
		v->group != WAIT_NOBODY && g->groups[v->group].begun;
	to->values[RUNNING].number = is_running_still(g);
	to->values[SILENT].number =
		is_running_still(g) ? (double)g->run->problem_count : 0;
	return set_text(to, KIND, strdup(kinds[v->kind])) &&
	       set_text(to, ABSENT, wait_graph_absent_text(g)) &&
	       set_text(to, WAITS, waits_text(g, paths, v, member)) &&
	       set_text(to, FUNCTION, strdup(wait_graph_function(g, member))) &&
	       set_text(to, ROLE, strdup(role_text(&g->at[member]))) &&
	       set_text(to, PATH, whole_path(g->run, call->node));
}

/* Both are in collective calls of one name. */
static bool is_on_other_comm(const struct wait_graph *g, uint32_t a, uint32_t b)
{
	const struct run_last_call *of_a = g->at[a].call, *of_b = g->at[b].call;

	return g->at[a].stand == STAND_CALL && g->at[b].stand == STAND_CALL &&
	       of_a->direction == LIVE_OPEN_CALL &&
	       of_b->direction == LIVE_OPEN_CALL && of_a->comm && of_b->comm &&
	       of_a->comm != of_b->comm &&
	       !strcmp(wait_graph_function(g, a), wait_graph_function(g, b));
}

/* Of its GPUs; to be freed. */
static char *unfinished_text(const struct wait_graph *g,
			     const struct paths *paths, uint32_t member)
{
	const struct run_last_call *call = g->at[member].call;
	const char *have = is_running_still(g) ? "have" : "had";
	char *where, *text;

	if (!call || !call->unfinished)
		return strdup("");
	where = call->unfinished_node ? ends_where(paths, call->unfinished_node)
				      : strdup("not known");
	text = where ? str_format("; of what it launched on GPUs %" PRIu64
				  " %s not ended, from %s",
				  call->unfinished,
				  call->unfinished == 1 && is_running_still(g)
					  ? "has"
					  : have,
				  where)
		     : NULL;
	free(where);
	return text;
}

/* Where a rank in no call is, as far as that is known; to be freed. */
static char *place_outside(const struct wait_graph *g,
			   const struct run_last_call *call)
{
	const char *doing = str_at(&g->run->strings, call->doing);

	if (call->wait_node && !has_stack(g, call))
		return whole_path(g->run, call->wait_node);
	if (*doing || call->sample_age_ns > ENDS_RECENTLY_NS)
		return strdup(doing);
	return whole_path(g->run, call->sample_node);
}

static bool add_culprit(struct fact *to, const struct wait_graph *g,
			const struct paths *paths, uint32_t member)
{
	const struct standing *s = &g->at[member];
	const struct run_rank *r = &g->run->ranks[member];
	bool outside = s->stand == STAND_OUTSIDE;

	to->values[HOLDS].number = wait_graph_locks(g, member);
	if (s->stand == STAND_ENDED)
		to->values[r->end == END_SIGNAL ? SIGNAL : STATUS].number =
			r->end_code;
	return set_text(to, CULPRIT,
			str_format("rank %" PRIu64,
				   processes_number(g->run, member))) &&
	       set_text(to, STAND, strdup(stand_words[s->stand])) &&
	       set_text(to, DOES, stand_text(g, paths, member)) &&
	       set_text(to, UNFINISHED, unfinished_text(g, paths, member)) &&
	       set_text(to, ROLE_THERE, strdup(role_text(s))) &&
	       set_text(to, THERE,
			outside ? place_outside(g, s->call)
				: whole_path(g->run, verdict_node(s)));
}

/*
 * Rules.
 */

int verdict_rules_init(struct verdict_rules *to)
{
	char **names = diagnosis_rule_names(&stuck_rules);
	size_t count = 0;
	int err = names ? 0 : no_memory();

	while (names && names[count])
		count++;
	*to = (struct verdict_rules){ 0 };
	to->at = calloc(count + 1, sizeof(struct diagnosis_rule *));
	if (!to->at)
		err = no_memory();
	for (size_t i = 0; i < count && !err; i++) {
		err = diagnosis_rule_load(&to->at[to->count], &stuck_rules,
					  names[i]);
		to->count += !err;
		if (err != -EINVAL)
			continue;
		free(to->problem);
		to->problem = strdup(fail_reason());
		err = 0;
	}
	free(names);
	if (err)
		verdict_rules_fini(to);
	return err;
}

void verdict_rules_fini(struct verdict_rules *rules)
{
	for (size_t i = 0; i < rules->count; i++)
		diagnosis_rule_free(rules->at[i]);
	free(rules->at);
	free(rules->problem);
	*rules = (struct verdict_rules){ 0 };
}

int verdict_rule(const struct diagnosis_rule **to,
		 const struct verdict_rules *rules, const struct fact *fact)
{
	int err = 0;

	*to = NULL;
	for (size_t i = 0; i < rules->count && !err; i++) {
		const struct diagnosis_rule *rule = rules->at[i];
		bool holds;

		err = diagnosis_rule_holds(rule, fact, &holds);
		if (!err && holds &&
		    (!*to || rule->when_count > (*to)->when_count))
			*to = rule;
	}
	return err;
}

int verdict_find(struct verdict *to, const struct verdict_rules *rules,
		 const struct wait_graph *g, const struct paths *paths,
		 const struct wait_verdict *v)
{
	uint32_t member = waiting_member(g, paths, (uint32_t)(v - g->verdicts));
	struct facts facts = { 0 };
	struct fact *fact = facts_add(&facts, 0);
	int err = fact ? 0 : no_memory();

	*to = (struct verdict){ 0 };
	if (!err && member != WAIT_NOBODY) {
		if (!add_waiting(fact, g, paths, v, member) ||
		    (v->culprit != WAIT_NOBODY &&
		     !add_culprit(fact, g, paths, v->culprit)))
			err = no_memory();
		if (!err && v->culprit != WAIT_NOBODY)
			fact->values[OTHER_COMM].number =
				is_on_other_comm(g, member, v->culprit);
		if (!err)
			err = verdict_rule(&to->rule, rules, fact);
		if (!err)
			to->text = to->rule ? diagnosis_rule_say(to->rule, fact)
					    : strdup(fact->values[WAITS].text);
		if (!err && !to->text)
			err = no_memory();
	}
	facts_fini(&facts);
	return err;
}
