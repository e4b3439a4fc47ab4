/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * make-ranks.c - rank files of a job as large as wanted, after a real profile.
 *
 *   make-ranks MODEL.h5 DIRECTORY RANKS [name=number …]
 *
 *   values=N   non-zero values that a rank should have, about (the model's)
 *   first=N    the first rank to write (0), and
 *   last=N     the last (RANKS - 1), so that several can work at it
 *   seed=N     another job (1)
 *   times=0    without trace points and stamps
 *   steps=0    without stamps
 *
 * What a rank draws, all from its own number and the seed:
 *
 *   Samples    of each context and thread: Poisson around the model's, times a
 *              factor of the rank's (some 5 %) and one of the rank and the
 *              part of the tree (20 %); so contexts that are rare in
 *              the model are missing in many ranks.  Values that go with
 *              samples (times, events) follow them.
 *   New        contexts that the model has not.  The share of samples that fall
 *              on such ones is that of contexts with one sample (Good 1953),
 *              which are expected so much less often.  They are
 *              instructions beside known ones, near ones more often than far
 *              ones, so that ranks share some of them.
 *   Skew       every 16th rank has one part of the tree half as often again.
 *   Own paths  every 64th rank has a path of calls that no other has.
 *   MPI        calls and bytes as the model; times within 20 %; partners as
 *              far away as the model's; of parts, as a job of that
 *              size keeps them.
 *
 *   Time       trace points, and stamps of steps, as many as a job of that
 *              size keeps; each up to a third of an interval off the model's,
 *              and of a context of the model's that is near in time.
 *
 * With more values than the model has, its tree stands there several times,
 * called from different places, as in a program with more phases.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "profile/profile.h"
#include "profile/steps/step-pattern.h"

/* Of so few contexts the estimate may be far too large: seen with 16 ranks. */
#define ONCE_AGAIN_MOST 0.6

enum {
	AREAS = 64,   /* parts of the tree, each with a factor of its own */
	OWN_PATH = 8, /* calls */
};

struct model {
	struct profile *p;
	uint64_t *hits;   /* samples of a node, of all threads */
	uint32_t *leaves; /* instructions that were sampled */
	size_t leaf_count, once;
	double once_again; /* samples expected where the model has one */
};

struct draw { /* of one rank */
	uint64_t state;
	double area[AREAS];
};

static void give_up(const char *what)
{
	fprintf(stderr, "make-ranks: %s\n", what);
	exit(EXIT_FAILURE);
}

static void *get(size_t count, size_t size)
{
	void *at = calloc(count + 1, size);

	if (!at)
		give_up("out of memory");
	return at;
}

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t draw_bits(struct draw *d)
{
	uint64_t x = d->state += 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* Above 0, up to 1. */
static double draw_share(struct draw *d)
{
	return (double)((draw_bits(d) >> 11) + 1) * 0x1p-53;
}

static double draw_normal(struct draw *d)
{
	double far = sqrt(-2 * log(draw_share(d)));

	return far * cos(2 * M_PI * draw_share(d));
}

static uint64_t draw_poisson(struct draw *d, double mean)
{
	double left = exp(-mean), product = 1;
	uint64_t n = 0;

	if (mean > 50)
		return (uint64_t)fmax(0,
				      rint(mean + sqrt(mean) * draw_normal(d)));
	while ((product *= draw_share(d)) > left)
		n++;
	return n;
}

static struct draw draw_new(uint64_t seed, uint32_t rank)
{
	struct draw d = { .state = seed << 32 ^ rank };
	double all;

	draw_bits(&d);
	all = exp(0.05 * draw_normal(&d));
	for (size_t i = 0; i < AREAS; i++)
		d.area[i] = all * exp(0.2 * draw_normal(&d));
	if (rank % 16 == 3)
		d.area[rank / 16 % AREAS] *= 1.5;
	return d;
}

/*
 * The model: its samples, and the tree as often as it is wanted.
 */

static bool follows_samples(const char *name)
{
	return !strcmp(name, "cpu.time") || !strcmp(name, "wall.time") ||
	       !strncmp(name, "papi.", 5);
}

static void model_count(struct model *m)
{
	const struct profile_column *c = profile_column(m->p, "samples");
	size_t twice = 0;

	m->hits = get(m->p->node_count, sizeof(*m->hits));
	m->leaves = get(m->p->node_count, sizeof(*m->leaves));
	for (size_t i = 0; c && i < c->count; i++)
		m->hits[c->values[i].node] += c->values[i].value;
	for (uint32_t i = 0; i < m->p->node_count; i++) {
		if (m->p->nodes[i].kind == NODE_PC && m->hits[i])
			m->leaves[m->leaf_count++] = i;
		m->once += m->hits[i] == 1;
		twice += m->hits[i] == 2;
	}
	m->once_again = m->once ? 2 * (double)twice / (double)m->once : 1;
	m->once_again = fmin(m->once_again, ONCE_AGAIN_MOST);
}

static size_t values_of(const struct profile *p)
{
	size_t values = 0;

	for (size_t i = 0; i < p->column_count; i++)
		values += p->columns[i].count;
	return values;
}

/* The node of copy `c`; all have the root in common. */
static uint32_t copied(const struct profile *p, uint32_t node, size_t c)
{
	return node ? (uint32_t)(c * (p->node_count - 1) + node) : 0;
}

static void copy_nodes(struct model *m, size_t copies)
{
	struct profile *p = m->p;
	struct profile_node *to = get(copies * p->node_count, sizeof(*to));

	for (size_t c = 0; c < copies; c++)
		for (uint32_t i = 0; i < p->node_count; i++) {
			struct profile_node *n = &to[copied(p, i, c)];

			*n = p->nodes[i];
			n->parent = copied(p, n->parent, c);
			if (n->kind == NODE_CALL && !p->nodes[i].parent)
				n->offset += 16 * c;
		}
	free(p->nodes);
	p->nodes = to;
}

/* Copies stand behind each other, and so their values are in order. */
static void copy_values(const struct profile *p, struct profile_column *c,
			size_t copies)
{
	struct profile_value *to = get(copies * c->count, sizeof(*to));
	size_t count = 0;

	for (size_t k = 0; k < copies; k++)
		for (size_t i = 0; i < c->count; i++) {
			to[count] = c->values[i];
			to[count].node = copied(p, to[count].node, k);
			count += to[count].node || !k;
		}
	free(c->values);
	c->values = to;
	c->count = count;
}

static void model_copy(struct model *m, size_t values)
{
	size_t has = values_of(m->p);
	size_t copies = has && values > has ? (values + has / 2) / has : 1;

	for (size_t i = 0; i < m->p->column_count; i++)
		copy_values(m->p, &m->p->columns[i], copies);
	copy_nodes(m, copies);
	m->p->node_count = copies * (m->p->node_count - 1) + 1;
	model_count(m);
}

/*
 * A rank.
 */

struct making {
	const struct model *m;
	struct draw draw;
	uint32_t rank, ranks;
	uint64_t *drawn; /* samples of the columns' rows, by (node, thread) */
	bool *kept;      /* nodes */
	uint32_t *became;
	struct profile out;
};

static double area_of(struct making *k, uint32_t node)
{
	const struct profile *p = k->m->p;

	/* Its ancestor two levels below the root. */
	while (node && p->nodes[node].parent &&
	       p->nodes[p->nodes[node].parent].parent)
		node = p->nodes[node].parent;
	return k->draw.area[(node * 2654435761u >> 16) % AREAS];
}

/* The samples drawn for a row of the model's. */
static const uint64_t *drawn_at(const struct making *k, uint32_t node,
				uint32_t thread, uint64_t *model)
{
	const struct profile_column *c = profile_column(k->m->p, "samples");
	size_t low = 0, high = c ? c->count : 0;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct profile_value *v = &c->values[middle];

		if (v->node < node || (v->node == node && v->thread < thread))
			low = middle + 1;
		else
			high = middle;
	}
	if (!c || low == c->count || c->values[low].node != node ||
	    c->values[low].thread != thread)
		return NULL;
	*model = c->values[low].value;
	return &k->drawn[low];
}

static void draw_samples(struct making *k)
{
	const struct profile_column *c = profile_column(k->m->p, "samples");

	k->drawn = get(c ? c->count : 0, sizeof(*k->drawn));
	for (size_t i = 0; c && i < c->count; i++) {
		const struct profile_value *v = &c->values[i];
		double mean = k->m->hits[v->node] == 1 ? k->m->once_again
						       : (double)v->value;

		k->drawn[i] =
			draw_poisson(&k->draw, mean * area_of(k, v->node));
	}
}

/* Each sample stands for a time that differs by some 25 %. */
static uint64_t time_of(struct making *k, uint64_t value, uint64_t of,
			uint64_t drawn)
{
	double each = (double)value / (double)of;
	double noise = 0.25 * draw_normal(&k->draw) / sqrt((double)drawn);

	return (uint64_t)fmax(1, each * (double)drawn * fmax(1 + noise, 0.2));
}

static uint64_t draw_value(struct making *k, const char *name,
			   const struct profile_value *v)
{
	uint64_t model = 0;
	const uint64_t *drawn = drawn_at(k, v->node, v->thread, &model);
	double noise;

	if (!strcmp(name, "samples"))
		return drawn ? *drawn : v->value;
	if (follows_samples(name) && drawn)
		return *drawn ? time_of(k, v->value, model, *drawn) : 0;
	if (strstr(name, "bytes") || strstr(name, "calls"))
		return v->value;
	noise = exp(0.2 * draw_normal(&k->draw));
	return (uint64_t)fmax(1, (double)v->value * noise);
}

static void make_columns(struct making *k)
{
	const struct profile *p = k->m->p;
	size_t more = k->m->once * 4 + 64;

	k->out.columns = get(p->column_count, sizeof(*k->out.columns));
	k->out.column_count = p->column_count;
	for (size_t i = 0; i < p->column_count; i++) {
		const struct profile_column *from = &p->columns[i];
		struct profile_column *to = &k->out.columns[i];

		*to = *from;
		to->count = 0;
		to->values = get(from->count + more, sizeof(*to->values));
		for (size_t v = 0; v < from->count; v++) {
			struct profile_value one = from->values[v];

			one.value = draw_value(k, from->name, &one);
			if (one.value)
				to->values[to->count++] = one;
			if (one.value)
				k->kept[one.node] = true;
		}
	}
}

static void keep_references(struct making *k)
{
	const struct profile *p = k->m->p;

	for (size_t i = 0; i < p->site_count; i++)
		k->kept[p->sites[i].node] = true;
	for (size_t i = 0; i < p->size_count; i++)
		k->kept[p->sizes[i].node] = true;
	for (size_t i = 0; i < p->part_count; i++)
		k->kept[p->parts[i].node] = k->kept[p->parts[i].begin_node] =
			true;
	for (size_t i = 0; i < p->moment_count; i++)
		k->kept[p->moments[i].node] = true;
	for (size_t i = 0; i < p->step_count; i++)
		k->kept[p->steps[i].node] = true;
	k->kept[0] = true;
	for (size_t i = p->node_count; i-- > 1;)
		if (k->kept[i])
			k->kept[p->nodes[i].parent] = true;
}

static uint32_t add_node(struct profile *out, uint32_t parent, uint32_t kind,
			 uint32_t owner, uint64_t offset)
{
	out->nodes[out->node_count] =
		(struct profile_node){ parent, kind, owner, offset };
	return (uint32_t)out->node_count++;
}

static void make_nodes(struct making *k)
{
	const struct profile *p = k->m->p;
	size_t more = k->m->once * 4 + 64 + OWN_PATH;

	k->out.nodes = get(p->node_count + more, sizeof(*k->out.nodes));
	k->out.node_count = 0;
	for (size_t i = 0; i < p->node_count; i++)
		if (k->kept[i])
			k->became[i] =
				add_node(&k->out, k->became[p->nodes[i].parent],
					 p->nodes[i].kind, p->nodes[i].owner,
					 p->nodes[i].offset);
	for (size_t c = 0; c < k->out.column_count; c++)
		for (size_t i = 0; i < k->out.columns[c].count; i++)
			k->out.columns[c].values[i].node =
				k->became[k->out.columns[c].values[i].node];
}

static void add_sample(struct making *k, uint32_t node)
{
	double ms = 1e6 * exp(0.25 * draw_normal(&k->draw));

	for (size_t c = 0; c < k->out.column_count; c++) {
		struct profile_column *to = &k->out.columns[c];
		bool count = !strcmp(to->name, "samples");

		if (count || !strcmp(to->name, "cpu.time") ||
		    !strcmp(to->name, "wall.time"))
			to->values[to->count++] = (struct profile_value){
				node, 0, count ? 1 : (uint64_t)ms
			};
	}
}

/* A leaf of the model where a sample may have fallen just as well. */
static void add_unseen(struct making *k)
{
	const struct model *m = k->m;
	const struct profile_node *n;
	uint32_t leaf;
	double far;

	leaf = m->leaves[draw_bits(&k->draw) % m->leaf_count];
	n = &m->p->nodes[leaf];
	if (!k->kept[n->parent])
		return;
	far = 4 * ceil(4 * pow(draw_share(&k->draw), -0.7));
	add_sample(k, add_node(&k->out, k->became[n->parent], NODE_PC, n->owner,
			       n->offset + 1 + (uint64_t)fmin(far, 4096)));
}

static void add_own_path(struct making *k)
{
	const struct model *m = k->m;
	uint32_t at = 0, owner = m->p->nodes[m->leaves[0]].owner;

	for (uint32_t i = 0; i < OWN_PATH; i++)
		at = add_node(&k->out, at, NODE_CALL, owner,
			      0x1000 + 64 * (k->rank / 64) + i);
	add_sample(k, at);
}

static void make_new(struct making *k)
{
	double mean = (double)k->m->once * (1 - k->m->once_again);
	uint64_t count = draw_poisson(&k->draw, mean);

	if (!k->m->leaf_count)
		return;
	count = count > 4 * k->m->once ? 4 * k->m->once : count;
	for (uint64_t i = 0; i < count; i++)
		add_unseen(k);
	if (k->rank % 64 == 5)
		add_own_path(k);
}

static void make_comms(struct making *k)
{
	const struct profile *p = k->m->p;

	k->out.comms = get(p->comm_count, sizeof(*k->out.comms));
	for (size_t i = 0; i < p->comm_count; i++) {
		k->out.comms[i] = p->comms[i];
		if (p->comms[i].size == (uint32_t)p->id.size) {
			k->out.comms[i].size = k->ranks;
			k->out.comms[i].rank = k->rank;
		}
	}
}

static int by_peer(const void *x, const void *y)
{
	const struct profile_peer *a = x, *b = y;

	return (a->rank > b->rank) - (a->rank < b->rank);
}

static void make_peers(struct making *k)
{
	const struct profile *p = k->m->p;
	uint32_t away = k->ranks - (uint32_t)p->id.rank + k->rank;
	size_t count = 0;

	k->out.peers = get(p->peer_count, sizeof(*k->out.peers));
	for (size_t i = 0; i < p->peer_count; i++) {
		k->out.peers[i] = p->peers[i];
		k->out.peers[i].rank = (p->peers[i].rank + away) % k->ranks;
	}
	qsort(k->out.peers, p->peer_count, sizeof(*k->out.peers), by_peer);
	for (size_t i = 0; i < p->peer_count; i++)
		if (!count ||
		    k->out.peers[count - 1].rank != k->out.peers[i].rank)
			k->out.peers[count++] = k->out.peers[i];
	k->out.peer_count = count;
}

static void make_sites(struct making *k)
{
	const struct profile *p = k->m->p;

	k->out.sites = get(p->site_count, sizeof(*k->out.sites));
	k->out.sizes = get(p->size_count, sizeof(*k->out.sizes));
	for (size_t i = 0; i < p->site_count; i++) {
		k->out.sites[i] = p->sites[i];
		k->out.sites[i].node = k->became[p->sites[i].node];
	}
	for (size_t i = 0; i < p->size_count; i++) {
		k->out.sizes[i] = p->sizes[i];
		k->out.sizes[i].node = k->became[p->sizes[i].node];
	}
}

/* What a process keeps in such a job (doc/decisions/event-records.md). */
static size_t parts_kept(uint32_t ranks)
{
	size_t kept = ranks > 1024 ? (size_t)16384 * 1024 / ranks : 16384;

	return kept < 512 ? 512 : kept;
}

static uint32_t level_that_fits(const struct profile *p, size_t most)
{
	for (uint32_t level = 0; level < 64; level++) {
		size_t count = 0;

		for (size_t i = 0; i < p->part_count; i++)
			count += p->parts[i].level >= level;
		if (count <= most)
			return level;
	}
	return 64;
}

static void make_parts(struct making *k)
{
	const struct profile *p = k->m->p;
	uint32_t level = level_that_fits(p, parts_kept(k->ranks));
	size_t count = 0;

	k->out.parts = get(p->part_count, sizeof(*k->out.parts));
	for (size_t i = 0; i < p->part_count; i++) {
		struct profile_event *to = &k->out.parts[count];

		*to = p->parts[i];
		if (to->level < level)
			continue;
		to->node = k->became[to->node];
		to->begin_node = k->became[to->begin_node];
		if (to->size == (uint32_t)p->id.size && to->size != 2) {
			to->size = k->ranks;
			to->comm_rank = k->rank;
		}
		count++;
	}
	k->out.part_count = count;
	k->out.threads = get(p->thread_count, sizeof(*k->out.threads));
	memcpy(k->out.threads, p->threads,
	       p->thread_count * sizeof(*p->threads));
	for (size_t i = 0; i < p->thread_count; i++)
		if (k->out.threads[i].level < level)
			k->out.threads[i].level = level;
}

/*
 * Time.
 */

/* From a third of the interval before it to a third of that behind it. */
static uint64_t moved(struct making *k, uint64_t before, uint64_t at,
		      uint64_t after)
{
	double off = (2 * draw_share(&k->draw) - 1) / 3;
	double interval = (double)(off < 0 ? at - before : after - at);

	return (uint64_t)((double)at + off * interval);
}

static const struct profile_moment *near_moment(struct making *k, size_t i)
{
	const struct profile *p = k->m->p;
	double at = (double)i + rint(3 * draw_normal(&k->draw));

	if (at < 0 || at >= (double)p->moment_count ||
	    p->moments[(size_t)at].thread != p->moments[i].thread)
		return &p->moments[i];
	return &p->moments[(size_t)at];
}

/* Behind make_parts(), which copies the threads. */
static void make_moments(struct making *k)
{
	const struct profile *p = k->m->p;
	const struct profile_moment *from = p->moments;
	size_t most = parts_kept(k->ranks) / 4, skip = 1, count = 0;

	while (p->moment_count / skip > most)
		skip *= 2;
	k->out.moments = get(p->moment_count, sizeof(*k->out.moments));
	for (size_t i = 0; i < p->moment_count; i += skip) {
		struct profile_moment *to = &k->out.moments[count++];

		*to = from[i];
		to->node = k->became[near_moment(k, i)->node];
		if (i && i + 1 < p->moment_count &&
		    from[i - 1].thread == from[i + 1].thread)
			to->ns = moved(k, from[i - 1].ns, from[i].ns,
				       from[i + 1].ns);
	}
	k->out.moment_count = count;
	for (size_t i = 0; i < p->thread_count; i++)
		k->out.threads[i].every *= (uint32_t)skip;
}

static void make_stamps(struct making *k, struct profile_step *step,
			size_t *next)
{
	const struct profile_stamp *from = &k->m->p->stamps[step->first];
	size_t most = LIVE_STAMPS, skip = 1, count = 0;

	if (k->ranks > 128)
		most = most * 128 / k->ranks;
	while ((step->count - step->head) / skip + step->head >
	       (most > 255 ? most : 255))
		skip *= 2;
	for (size_t i = 0; i < step->count; i += i < step->head ? 1 : skip) {
		struct profile_stamp *to = &k->out.stamps[*next + count++];

		*to = from[i];
		if (i && i + 1 < step->count)
			to->ns = moved(k, from[i - 1].ns, from[i].ns,
				       from[i + 1].ns);
	}
	step->node = k->became[step->node];
	step->stride *= (uint32_t)skip;
	step->first = (uint32_t)*next;
	step->count = (uint32_t)count;
	steps_round(&k->out.stamps[*next], count, step->calls / step->per);
	*next += count;
}

static void make_steps(struct making *k)
{
	const struct profile *p = k->m->p;
	size_t next = 0;

	k->out.steps = get(p->step_count, sizeof(*k->out.steps));
	k->out.stamps = get(p->stamp_count, sizeof(*k->out.stamps));
	memcpy(k->out.steps, p->steps, p->step_count * sizeof(*p->steps));
	for (size_t i = 0; i < p->step_count; i++)
		make_stamps(k, &k->out.steps[i], &next);
	k->out.stamp_count = next;
}

static void make_identity(struct making *k)
{
	struct profile_identity *id = &k->out.id;

	id->rank = (int32_t)k->rank;
	id->size = (int32_t)k->ranks;
	id->pid = 1000 + k->rank;
	snprintf(id->host, sizeof(id->host), "node%05u", k->rank / 64);
	snprintf(id->clock_id, sizeof(id->clock_id), "%u", k->rank / 64 + 1);
}

static void making_fini(struct making *k)
{
	for (size_t i = 0; i < k->out.column_count; i++)
		free(k->out.columns[i].values);
	free(k->out.columns);
	free(k->out.nodes);
	free(k->out.comms);
	free(k->out.sites);
	free(k->out.sizes);
	free(k->out.peers);
	free(k->out.parts);
	free(k->out.moments);
	free(k->out.threads);
	free(k->out.steps);
	free(k->out.stamps);
	free(k->drawn);
	free(k->kept);
	free(k->became);
}

static void make_rank(const struct model *m, const char *directory,
		      uint32_t rank, uint32_t ranks, uint64_t seed)
{
	struct making k = { .m = m,
			    .draw = draw_new(seed, rank),
			    .rank = rank,
			    .ranks = ranks,
			    .kept = get(m->p->node_count, sizeof(bool)),
			    .became = get(m->p->node_count, sizeof(uint32_t)),
			    .out = *m->p };
	char *path = str_format("%s/rank-%u.h5", directory, rank);

	if (!path)
		give_up("out of memory");
	make_identity(&k);
	draw_samples(&k);
	make_columns(&k);
	keep_references(&k);
	make_nodes(&k);
	make_new(&k);
	make_comms(&k);
	make_peers(&k);
	make_sites(&k);
	make_parts(&k);
	make_moments(&k);
	make_steps(&k);
	if (profile_save(&k.out, path))
		give_up(fail_reason());
	free(path);
	making_fini(&k);
}

static uint64_t option(int argc, char **argv, const char *name, uint64_t value)
{
	size_t length = strlen(name);

	for (int i = 4; i < argc; i++)
		if (!strncmp(argv[i], name, length) && argv[i][length] == '=')
			if (!str_to_uint(argv[i] + length + 1, &value))
				give_up("NAME=NUMBER is wanted");
	return value;
}

int main(int argc, char **argv)
{
	struct model m = { 0 };
	uint64_t ranks, last;

	if (argc < 4 || !str_to_uint(argv[3], &ranks) || !ranks)
		give_up("make-ranks MODEL.h5 DIRECTORY RANKS [name=number …]");
	if (profile_load(&m.p, argv[1]))
		give_up(fail_reason());
	model_copy(&m, option(argc, argv, "values", 0));
	if (!option(argc, argv, "times", 1))
		m.p->moment_count = m.p->step_count = m.p->stamp_count = 0;
	if (!option(argc, argv, "steps", 1))
		m.p->step_count = m.p->stamp_count = 0;
	last = option(argc, argv, "last", ranks - 1);
	for (uint64_t r = option(argc, argv, "first", 0); r <= last; r++)
		make_rank(&m, argv[2], (uint32_t)r, (uint32_t)ranks,
			  option(argc, argv, "seed", 1));
	free(m.hits);
	free(m.leaves);
	profile_free(m.p);
	return 0;
}
