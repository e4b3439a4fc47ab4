/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fact-waits.c - patterns of waiting in MPI: what ranks were late with, over
 * all places where others waited for them.
 *
 * Waiting is gathered by the function that the late ranks were in.  How much of
 * what all ranks do there makes others wait tells a pattern from chance: of a
 * function that one rank at a time is in, all of it does (exclusive 1); of one
 * that all ranks are in at once, and end at times that differ, little.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/diagnose/facts.h"
#include "analyse/diagnose/late-excess.h"
#include "analyse/paths/dominant-path.h"
#include "analyse/base/interpreter.h"
#include "analyse/base/processes.h"
#include "analyse/base/value.h"
#include "base/array.h"
#include "base/comparison.h"
#include "base/err.h"

#define SMALL       0.005 /* of all time: a place with less is left out */
#define RANDOM      0.25  /* of a function's time, or more, chance makes … */
#define TURNS       0.65  /* … others wait for, by the number of ranks */
#define CHAINS      0.25
#define SURE        0.8   /* no more is asked for */
#define LATE        0.15  /* messages that one rank is late with */
#define WORTH       0.03  /* of the run: to be gained by another order */
#define SAME        0.67  /* of the culprits' time others have there: as much */
#define BEFORE      0.25  /* of a place's waiting, for what was done before */
#define INTERPRETED 0.3   /* where functions are not known */
#define NEARLY_ALL  0.8   /* culprits that are named caused so much */
#define KIND        0.5   /* of its seconds are of a kind: it is of that kind */
#define IN_ORDER    0.85  /* from lower to higher ranks, or back: a chain */
#define OTHERS_DO   0.005 /* of the culprits' time others have there, too */
#define FRAMES      3

/* All waiting for ranks that were in one function. */
struct pattern {
	uint32_t function; /* string; where they were */
	uint32_t path;     /* the one of its paths with the most */
	uint32_t victim;   /* call path where most was waited */
	double victim_seconds;
	uint32_t message; /* the same of messages alone; 0: none */
	double message_seconds;
	double seconds, error;
	double instances;
	double known; /* of the seconds: samples say that they were there */
	bool interpreted;
	bool absorbed; /* what it tells follows from another pattern */
	double by_kind[WAIT_KINDS];
	double messages, upwards;   /* for lower ranks: of the former */
	double *culprits, *victims; /* seconds, by index into run->ranks */
	double *inside;   /* by process compared: time there, outside MPI */
	uint32_t *places; /* call paths where was waited */
	size_t place_count, place_room;
};

struct patterns {
	struct fact_source *from;
	struct pattern *at;
	size_t count, room;
};

#define WAIT_FIELDS(FIELD)                                                     \
	FIELD(ROTATING, "rotating", NUMBER,                                    \
	      "1: one rank at a time is late, in turn")                        \
	FIELD(CHAIN, "chain", NUMBER, "1: ranks wait for the one before them") \
	FIELD(SERIAL, "serial", NUMBER,                                        \
	      "1: what the late ranks do no other does")                       \
	FIELD(UNEVEN, "uneven", NUMBER,                                        \
	      "1: the late ranks have more to do than others")                 \
	FIELD(LATE_SENDER, "late_sender", NUMBER,                              \
	      "1: receivers wait for what the late ranks send")                \
	FIELD(LATE_RECEIVER, "late_receiver", NUMBER,                          \
	      "1: senders wait for the late ranks to receive")                 \
	FIELD(CHANCE, "chance", NUMBER,                                        \
	      "1: all ranks are late now and then, and no cause was found")    \
	FIELD(BARRIER, "barrier", NUMBER, "1: waited in MPI_Barrier")          \
	FIELD(EACH, "each", SECONDS, "mean of a wait")                         \
	FIELD(CROWDED, "crowded", SHARE,                                       \
	      "of their time, ranks waited for a core")                        \
	FIELD(SECONDS, "seconds", SECONDS, "waited, of all ranks")             \
	FIELD(SHARE, "share", SHARE, "of all ranks' time")                     \
	FIELD(GAIN, "saved", SECONDS,                                          \
	      "elapsed time that goes with it, at most")                       \
	FIELD(EXCLUSIVENESS, "exclusive", NUMBER,                              \
	      "part of the time in the function that makes others wait: near " \
	      "1 when one rank at a time is there")                            \
	FIELD(INSIDE, "inside", SECONDS, "all ranks' time in the function")    \
	FIELD(MOST, "most", SECONDS,                                           \
	      "the most that a rank is in the function")                       \
	FIELD(MEAN, "mean", SECONDS,                                           \
	      "what ranks are in the function on average")                     \
	FIELD(FUNCTION, "function", TEXT, "where the late ranks were")         \
	FIELD(PLACE, "place", TEXT, "its line, or empty")                      \
	FIELD(VICTIM, "where", TEXT, "the MPI call where most was waited")     \
	FIELD(RANKS, "ranks", TEXT, "the late ones: rank 3")                   \
	FIELD(WAITING, "victims", TEXT, "those that waited: ranks 0–2")        \
	FIELD(CALL, "call", TEXT, "the MPI function where most was waited")

FACT_TABLE(wait_fields, WAIT_FIELDS)

static void pattern_fini(struct pattern *p)
{
	free(p->culprits);
	free(p->victims);
	free(p->inside);
	free(p->places);
}

/* The pattern of that function; NULL: out of memory. */
static struct pattern *pattern_of(struct patterns *all, uint32_t path)
{
	const struct run *run = all->from->run;
	uint32_t node = all->from->paths->at[path].node;
	struct pattern new = { .function = run->nodes[node].function,
			       .path = path,
			       .interpreted = interpreter_owns(run, node) };

	for (size_t i = 0; i < all->count && !new.interpreted; i++)
		if (all->at[i].function == new.function)
			return &all->at[i];
	new.culprits = calloc(run->rank_count + 1, sizeof(double));
	new.victims = calloc(run->rank_count + 1, sizeof(double));
	new.inside = calloc(all->from->skews.process_count + 1, sizeof(double));
	if (!new.culprits || !new.victims || !new.inside ||
	    !array_append(&all->at, &all->count, &all->room, sizeof(new),
			  &new)) {
		pattern_fini(&new);
		return NULL;
	}
	return &all->at[all->count - 1];
}

static bool is_message_kind(uint32_t kind)
{
	return kind == WAIT_LATE_SENDER || kind == WAIT_LATE_RECEIVER;
}

static void add_pattern_blame(struct pattern *p, const struct blames *b,
			      const struct blame *one)
{
	p->seconds += one->seconds;
	p->instances += (double)one->instances;
	p->error = hypot(p->error, one->error);
	p->by_kind[one->kind] += one->seconds;
	p->culprits[one->culprit] += one->seconds;
	for (size_t v = 0; v < one->victims; v++) {
		const struct blame_victim *of =
			&b->victims[one->first_victim + v];

		p->victims[of->rank] += of->seconds;
		if (!is_message_kind(one->kind))
			continue;
		p->messages += of->seconds;
		if (one->culprit < of->rank)
			p->upwards += of->seconds;
	}
}

/* The first of a place's blames has not been met before. */
static bool is_first_of_place(const struct blames *b, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (b->at[j].victim == b->at[i].victim)
			return false;
	return true;
}

/* Seconds that the late ranks of a place were in each path. */
static double place_contexts(const struct blames *b, uint32_t victim,
			     double *own, struct late_excess *excess)
{
	double seconds = 0;

	memset(excess->late, 0,
	       excess->from->run->rank_count * sizeof(*excess->late));
	memset(own, 0, b->paths->count * sizeof(*own));
	for (size_t i = 0; i < b->count; i++) {
		const struct blame *one = &b->at[i];

		if (one->victim != victim || one->culprit == WAIT_OTHERS)
			continue;
		seconds += one->seconds;
		excess->late[one->culprit] += one->seconds;
		for (size_t r = 0; r < one->rows; r++) {
			const struct blame_row *row =
				&b->rows[one->first_row + r];

			if (!row->unsampled)
				own[row->context] += row->seconds;
		}
	}
	return seconds;
}

/* Of a place's waiting, that for messages. */
static double message_seconds(const struct blames *b, uint32_t victim)
{
	double seconds = 0;

	for (size_t i = 0; i < b->count; i++)
		if (b->at[i].victim == victim && is_message_kind(b->at[i].kind))
			seconds += b->at[i].seconds;
	return seconds;
}

static void name_place(struct pattern *p, const struct blames *b,
		       uint32_t victim, double seconds, uint32_t path)
{
	double messages = message_seconds(b, victim);

	if (seconds > p->victim_seconds) {
		p->victim = victim;
		p->victim_seconds = seconds;
		p->path = path;
	}
	if (messages > p->message_seconds) {
		p->message = victim;
		p->message_seconds = messages;
	}
}

/*
 * Where the late ranks of a place were; and if others do as much there, what
 * they do that others do not, when that explains the waiting.
 */
static int find_where_late_were(struct mainly *in, struct late_excess *excess,
				uint32_t victim, double seconds, double *own)
{
	const struct paths *paths = excess->from->paths;
	double part = 1, all, others = excess->from->ranks - 1;
	struct mainly more = { 0 };
	int err = dominant_in(in, paths, own, victim);

	if (!err && in->path)
		err = late_excess_part(excess, in->path, &part);
	if (err || part >= 1 - SAME)
		return err;
	err = late_excess_own(excess, own, &all);
	if (!err && others * all > KIND * seconds)
		err = dominant_in(&more, paths, own, victim);
	if (more.path) {
		*in = more;
		in->seconds = fmin(others * in->seconds, seconds);
	}
	return err;
}

static int add_wait_place(struct patterns *all, uint32_t victim, double *own,
			  struct late_excess *excess)
{
	const struct blames *b = all->from->blames;
	double seconds = place_contexts(b, victim, own, excess);
	struct pattern *p;
	struct mainly in;
	int err;

	if (seconds < SMALL * all->from->seconds)
		return 0;
	err = find_where_late_were(&in, excess, victim, seconds, own);
	if (err || !in.path || paths_waits(b->paths, in.path))
		return err;
	p = pattern_of(all, in.path);
	if (!p || !array_append(&p->places, &p->place_count, &p->place_room,
				sizeof(victim), &victim))
		return -ENOMEM;
	p->known += in.seconds;
	name_place(p, b, victim, seconds, in.path);
	for (size_t i = 0; i < b->count; i++)
		if (b->at[i].victim == victim &&
		    b->at[i].culprit != WAIT_OTHERS)
			add_pattern_blame(p, b, &b->at[i]);
	return 0;
}

static int find_patterns(struct patterns *all)
{
	const struct blames *b = all->from->blames;
	double *own = calloc(b->paths->count + 1, sizeof(*own));
	struct late_excess excess;
	int err = late_excess_init(&excess, all->from);

	if (!own)
		err = no_memory();
	for (size_t i = 0; i < b->count && !err; i++)
		if (is_first_of_place(b, i))
			err = add_wait_place(all, b->at[i].victim, own,
					     &excess);
	late_excess_fini(&excess);
	free(own);
	return err;
}

/* Time of each process in all paths of the function, outside MPI. */
static int time_inside(struct pattern *p, const struct fact_source *from)
{
	const struct paths *paths = from->paths;
	double *one = calloc(from->skews.process_count + 1, sizeof(*one));
	int err = one ? 0 : no_memory();

	for (uint32_t i = 1; i < paths->count && !err;) {
		const struct run_node *n = &from->run->nodes[paths->at[i].node];
		struct skew skew;

		if (n->function != p->function || n->kind != RUN_FUNCTION) {
			i++;
			continue;
		}
		err = imbalance_outside_mpi(&from->skews, i, one, &skew);
		for (size_t k = 0; k < from->skews.process_count; k++)
			p->inside[k] += one[k];
		i = paths->at[i].end;
	}
	free(one);
	return err;
}

struct inside {
	double sum, most, mean;
	size_t most_at;
};

static struct inside time_inside_pattern(const struct pattern *p,
					 const struct fact_source *from)
{
	struct inside i = { 0 };

	for (size_t k = 0; k < from->skews.process_count; k++) {
		i.sum += p->inside[k];
		if (p->inside[k] > i.most) {
			i.most = p->inside[k];
			i.most_at = k;
		}
	}
	i.mean = value_ratio(i.sum, (double)from->skews.process_count);
	return i;
}

struct late {
	uint32_t rank;
	double seconds;
};

ORDER_BY(by_lateness, struct late, DESC(seconds) ?: ASC(rank))

ORDER_BY(by_late_rank, uint32_t, ORDER(*a, *b))

/*
 * The ranks that together have NEARLY_ALL of seconds[]; their number.  One that
 * has more than half, and clearly more than its part, is named alone.
 */
static size_t main_ranks(const struct run *run, const double *seconds,
			 double alone, uint32_t *to)
{
	struct late *late = calloc(run->rank_count + 1, sizeof(*late));
	double sum = 0, all = 0;
	size_t count = 0;

	if (!late)
		return 0;
	for (uint32_t r = 0; r < run->rank_count; r++) {
		late[r] = (struct late){ r, seconds[r] };
		all += seconds[r];
	}
	qsort(late, run->rank_count, sizeof(*late), by_lateness);
	while (count < run->rank_count && late[count].seconds > 0 &&
	       sum < (late[0].seconds > alone * all ? alone : NEARLY_ALL) *
			       all) {
		sum += late[count].seconds;
		to[count] = late[count].rank;
		count++;
	}
	qsort(to, count, sizeof(*to), by_late_rank);
	free(late);
	return count;
}

/* "rank 3", "ranks 0–2", to be freed. */
static char *ranks_text(const struct run *run, const uint32_t *ranks,
			size_t count)
{
	char *list, *text;

	if (count == run->member_count)
		return strdup("all ranks");
	list = processes_list(run, ranks, count);
	text = list ? str_format("rank%s %s", count == 1 ? "" : "s", list)
		    : NULL;
	free(list);
	return text;
}

static bool is_mostly_of_kind(const struct pattern *p, enum wait_kind kind)
{
	return p->by_kind[kind] > KIND * p->seconds;
}

/* Others' time there, of what the named ones have. */
static double share_of_others_there(const struct pattern *p,
				    const struct fact_source *from,
				    const uint32_t *named, size_t count)
{
	double theirs = 0, others = 0;
	size_t all = from->skews.process_count;

	for (size_t k = 0; k < all; k++) {
		bool is_named = false;

		for (size_t i = 0; i < count; i++)
			is_named |= named[i] == from->skews.processes[k];
		*(is_named ? &theirs : &others) += p->inside[k];
	}
	return value_ratio(others / fmax((double)all - (double)count, 1),
			   theirs / fmax((double)count, 1));
}

/*
 * How much of the time in its function makes others wait, as samples say.  More
 * than all of it: the late ranks were not on a core, and what they were in says
 * nothing.
 */
static double exclusive_share(const struct pattern *p,
			      const struct fact_source *from)
{
	double share = value_ratio(
		p->known, (from->ranks - 1) * time_inside_pattern(p, from).sum);
	double crowd = from->cores > 0 ? from->ranks / from->cores : 1;

	return share > 1.25 * fmax(crowd, 1) ? 0 : share;
}

/* What chance does is more with few ranks. */
static bool is_exclusive(const struct pattern *p,
			 const struct fact_source *from, double least)
{
	double by_chance = least + RANDOM / (from->ranks - 1);

	return exclusive_share(p, from) >=
	       (p->interpreted ? INTERPRETED : fmin(by_chance, SURE));
}

static bool is_mostly_known(const struct pattern *p)
{
	return p->known > KIND * p->seconds;
}

/*
 * Messages go from lower to higher ranks, or back, and all do the same.  Where
 * one rank makes all the others wait, that is no chain.
 */
static bool is_chain(const struct pattern *p, const struct fact_source *from,
		     size_t late, double others)
{
	double order = value_ratio(p->upwards, p->messages);

	return (late > 1 || from->ranks <= 2) &&
	       p->messages > 0.2 * p->seconds &&
	       p->by_kind[WAIT_LATE_SENDER] > p->by_kind[WAIT_LATE_RECEIVER] &&
	       (order > IN_ORDER || order < 1 - IN_ORDER) && others > 0.5 &&
	       !p->interpreted && is_mostly_known(p) &&
	       is_exclusive(p, from, CHAINS);
}

/* Elapsed seconds, at most. */
static double seconds_saved(const struct pattern *p,
			    const struct fact_source *from, enum field kind)
{
	struct inside in = time_inside_pattern(p, from);
	bool order = kind == LATE_SENDER || kind == LATE_RECEIVER;
	double least = fact_least_elapsed(from, !order);
	double gain = fmin(p->seconds / from->ranks, from->elapsed - least);

	if (kind == UNEVEN)
		gain = fmin(gain, in.most - in.mean);
	return fmax(gain, 0);
}

/*
 * The same ranks are late each time; FIELDS: for what was before.  Who computes
 * for all of the run saves nothing by another order, but by giving work away.
 */
static enum field late_kind(const struct pattern *p,
			    const struct fact_source *from, double others)
{
	bool sender = is_mostly_of_kind(p, WAIT_LATE_SENDER);
	bool receiver = is_mostly_of_kind(p, WAIT_LATE_RECEIVER);

	if ((sender || receiver) && (others < 0.5 || p->interpreted)) {
		enum field late = sender ? LATE_SENDER : LATE_RECEIVER;

		if (!p->interpreted && !is_exclusive(p, from, LATE))
			return FIELDS;
		if (seconds_saved(p, from, late) >= WORTH * from->elapsed)
			return late;
	}
	if (others < OTHERS_DO)
		return SERIAL;
	return others > SAME ? FIELDS : UNEVEN;
}

/* FIELDS: no pattern. */
static enum field classify_pattern(const struct pattern *p,
				   const struct fact_source *from,
				   const uint32_t *named, size_t count)
{
	double others = share_of_others_there(p, from, named, count);
	bool few = count == 1 || 2 * count <= (size_t)from->ranks;

	if (!count)
		return FIELDS;
	if (is_chain(p, from, count, few ? others : 1))
		return CHAIN;
	if (few && others <= SAME)
		return late_kind(p, from, others);
	if (count > 1 && is_mostly_known(p) && is_exclusive(p, from, TURNS))
		return ROTATING;
	return few ? late_kind(p, from, others) : FIELDS;
}

static bool describe_pattern(struct fact *f, const struct pattern *p,
			     const struct fact_source *from,
			     const uint32_t *named, size_t count)
{
	const struct paths *paths = from->paths;
	const struct run *run = from->run;
	const struct run_node *n = &run->nodes[paths->at[p->path].node];
	uint32_t *victims = calloc(run->rank_count + 1, sizeof(*victims));
	uint32_t where = f->values[CHAIN].number > 0 ? p->message : p->victim;
	size_t victim_count =
		victims ? main_ranks(run, p->victims, 1, victims) : 0;
	bool ok;

	f->values[FUNCTION].text = paths_short(paths, p->path, FRAMES);
	f->values[PLACE].text = paths_place(run, n->file, n->line);
	f->values[VICTIM].text = paths_short(paths, where, FRAMES);
	f->values[CALL].text = paths_short(paths, where, 1);
	f->values[RANKS].text = ranks_text(run, named, count);
	f->values[WAITING].text = ranks_text(run, victims, victim_count);
	ok = victims && f->values[FUNCTION].text && f->values[VICTIM].text &&
	     f->values[CALL].text && f->values[RANKS].text &&
	     f->values[WAITING].text && fact_name_ranks(f, named, count);
	free(victims);
	return ok;
}

struct late_ranks {
	uint32_t *ranks;
	size_t count;
	enum field kind;
};

static int name_ranks(struct late_ranks *to, const struct pattern *p,
		      const struct fact_source *from)
{
	double alone = 0.5 + 0.5 / fmax(from->ranks, 1);

	to->ranks = calloc(from->run->rank_count + 1, sizeof(*to->ranks));
	if (!to->ranks)
		return no_memory();
	to->count = main_ranks(from->run, p->culprits, alone, to->ranks);
	to->kind = classify_pattern(p, from, to->ranks, to->count);
	return 0;
}

/*
 * Who waited for a late message is late itself, and those wait for it that were
 * late: of q's seconds what its named ranks waited in p.
 */
static bool is_consequence_of(const struct pattern *q,
			      const struct late_ranks *of_q,
			      const struct pattern *p,
			      const struct late_ranks *of_p)
{
	double waited = 0, caused = 0;

	if (q == p || of_q->kind == CHAIN || of_q->kind == LATE_SENDER ||
	    of_q->kind == LATE_RECEIVER ||
	    (of_p->kind != LATE_SENDER && of_p->kind != LATE_RECEIVER) ||
	    q->seconds > p->seconds)
		return false;
	for (size_t i = 0; i < of_q->count; i++) {
		waited += p->victims[of_q->ranks[i]];
		caused += p->culprits[of_q->ranks[i]];
	}
	return waited > caused;
}

static void absorb_consequences(struct patterns *all,
				const struct late_ranks *named)
{
	for (size_t i = 0; i < all->count; i++)
		for (size_t k = 0; k < all->count; k++) {
			struct pattern *p = &all->at[i], *q = &all->at[k];

			if (q->absorbed ||
			    !is_consequence_of(q, &named[k], p, &named[i]))
				continue;
			q->absorbed = true;
			p->seconds += q->seconds;
		}
}

static int add_wait_fact(struct facts *to, const struct pattern *p,
			 struct fact_source *from,
			 const struct late_ranks *named)
{
	struct inside in = time_inside_pattern(p, from);
	struct fact *f = facts_add(to, p->victim);

	if (!f)
		return -ENOMEM;
	if (named->kind != FIELDS)
		f->values[named->kind].number = 1;
	f->values[CHANCE].number =
		named->kind == FIELDS && 2 * named->count > (size_t)from->ranks;
	f->values[BARRIER].number =
		p->by_kind[WAIT_BARRIER] > KIND * p->seconds;
	f->values[EACH].number = value_ratio(p->seconds, p->instances);
	f->values[CROWDED].number = from->crowded;
	f->values[SECONDS].number = p->seconds;
	f->values[SHARE].number = value_ratio(p->seconds, from->seconds);
	f->values[GAIN].number = seconds_saved(p, from, named->kind);
	f->values[EXCLUSIVENESS].number = exclusive_share(p, from);
	f->values[INSIDE].number = in.sum;
	f->values[MOST].number = in.most;
	f->values[MEAN].number = in.mean;
	return describe_pattern(f, p, from, named->ranks, named->count)
		       ? 0
		       : no_memory();
}

/* Waiting that goes with its cause is no matter of the MPI call's own. */
static void explain_victims(const struct pattern *p, struct fact_source *from,
			    double gain)
{
	const struct blames *b = from->blames;
	double part = fmin(value_ratio(gain * from->ranks, p->seconds), 1);

	for (size_t i = 0; i < b->count; i++)
		for (size_t k = 0; k < p->place_count; k++)
			if (b->at[i].victim == p->places[k])
				from->explained[p->places[k]] +=
					part * b->at[i].seconds;
}

static int add_wait_facts(struct facts *to, struct patterns *all,
			  struct late_ranks *named)
{
	int err = 0;

	for (size_t i = 0; i < all->count && !err; i++) {
		err = time_inside(&all->at[i], all->from);
		if (!err)
			err = name_ranks(&named[i], &all->at[i], all->from);
	}
	if (!err)
		absorb_consequences(all, named);
	for (size_t i = 0; i < all->count && !err; i++) {
		double gain =
			seconds_saved(&all->at[i], all->from, named[i].kind);

		if (named[i].kind != FIELDS || all->at[i].absorbed)
			explain_victims(&all->at[i], all->from, gain);
		if (!all->at[i].absorbed)
			err = add_wait_fact(to, &all->at[i], all->from,
					    &named[i]);
	}
	return err;
}

static int gather_waits(struct facts *to, struct fact_source *from)
{
	struct patterns all = { .from = from };
	struct late_ranks *named = NULL;
	int err = 0;

	if (from->ranks > 1 && from->skews.process_count > 1 && !from->starved)
		err = find_patterns(&all);
	if (!err && all.count) {
		named = calloc(all.count, sizeof(*named));
		err = named ? add_wait_facts(to, &all, named) : no_memory();
	}
	for (size_t i = 0; i < all.count; i++) {
		pattern_fini(&all.at[i]);
		if (named)
			free(named[i].ranks);
	}
	free(all.at);
	free(named);
	return err;
}

const struct fact_set fact_set_waits = {
	.name = "waits",
	.meaning =
		"a function in which ranks were while others waited for them",
	.fields = wait_fields,
	.field_count = FIELDS,
	.waits = true,
	.gather = gather_waits,
};
