/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * delays.c PATTERN [KEY=VALUE…] - one process is late, again and again, and
 * others wait for it: who, on which call path and by how much is drawn from a
 * seed, and what came of it is measured with the program's own clock.
 *
 *   seed=N        what is drawn; by default from the time of day
 *   iterations=N  40
 *   step=S        seconds of work of all in each iteration, 0.01
 *   delay=S       how late the culprit is on average, 0.01, more or less a half
 *   busy=S        of `step`, seconds that use a core, 0.0005
 *   how=WORD      busy, sleep: what the culprit does meanwhile; drawn.  helper:
 *                 it sleeps until a thread of its own has done the work, in
 *                 lend_hand()
 *   late=RANK     the culprit; drawn
 *   balanced=1    nobody is late
 *
 * `delays patterns` prints the names of the patterns.
 *
 * At the end rank 0 prints one line:
 *
 *   truth: pattern= kind= culprit_rank= culprit_path= how= seconds= drawn=
 *          victims= worst_rank= worst_seconds= run= ranks= seed=
 *
 * seconds: of all victims together, from their own stamps: from when they
 * entered a call until the culprit came to its own, if they did not leave it
 * before.  drawn: what that would be if nothing else made anybody wait.
 * culprit_path: functions, the innermost first; of a culprit that sleeps, the
 * function that calls MPI next.  worst: the rank that others waited most for,
 * late on purpose or not.  run: seconds that the iterations took.
 *
 * The delay comes last in an iteration, just before the culprit calls MPI: what
 * it does while the others wait is nothing but the delay.
 */
#include "delays.h"

#define SMALL 128 /* doubles; sent at once */
#define LARGE                                                                  \
	(1 << 17) /* doubles; too large to be sent before they are wanted */

static double out[LARGE], in[LARGE];

static bool anybody(int rank)
{
	return rank >= 0;
}

static bool waits_for_all(int slot, int victim, int other)
{
	return slot == 0 && victim != other;
}

/* Collectives. */

static KEPT void barrier_step(struct lane *l, int i)
{
	work(l, i);
	stamped(l, 0, i, MPI_Barrier(l->comm));
}

static KEPT void allreduce_step(struct lane *l, int i)
{
	double mine = i, all;

	work(l, i);
	stamped(l, 0, i,
		MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, l->comm));
}

static KEPT void alltoall_step(struct lane *l, int i)
{
	work(l, i);
	stamped(l, 0, i,
		MPI_Alltoall(out, 16, MPI_DOUBLE, in, 16, MPI_DOUBLE, l->comm));
}

static KEPT void iallreduce_step(struct lane *l, int i)
{
	struct stamp *s = stamp_of(l, 0, i);
	double mine = i, all;
	MPI_Request request;

	work(l, i);
	s->begin = now();
	MPI_Iallreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, l->comm, &request);
	known_work();
	s->enter = now();
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	s->leave = now();
}

static bool waits_for_root(int slot, int victim, int other)
{
	return slot == 0 && victim != plan.root && other == plan.root;
}

static bool root_waits(int slot, int victim, int other)
{
	return slot == 0 && victim == plan.root && other != plan.root;
}

static bool is_root(int rank)
{
	return rank == plan.root;
}

static bool is_not_root(int rank)
{
	return rank != plan.root;
}

static KEPT void bcast_step(struct lane *l, int i)
{
	work(l, i);
	stamped(l, 0, i, MPI_Bcast(out, SMALL, MPI_DOUBLE, plan.root, l->comm));
}

static KEPT void scatter_step(struct lane *l, int i)
{
	work(l, i);
	stamped(l, 0, i,
		MPI_Scatter(out, 16, MPI_DOUBLE, in, 16, MPI_DOUBLE, plan.root,
			    l->comm));
}

static KEPT void reduce_step(struct lane *l, int i)
{
	work(l, i);
	stamped(l, 0, i,
		MPI_Reduce(out, in, 16, MPI_DOUBLE, MPI_SUM, plan.root,
			   l->comm));
}

static KEPT void gather_step(struct lane *l, int i)
{
	work(l, i);
	stamped(l, 0, i,
		MPI_Gather(out, 16, MPI_DOUBLE, in, 16, MPI_DOUBLE, plan.root,
			   l->comm));
}

static bool waits_for_lower(int slot, int victim, int other)
{
	return slot == 0 && other < victim;
}

static bool is_not_last(int rank)
{
	return rank < plan.ranks - 1;
}

static KEPT void scan_step(struct lane *l, int i)
{
	double mine = i, sum;

	work(l, i);
	stamped(l, 0, i,
		MPI_Scan(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, l->comm));
}

static int half_of(int rank)
{
	return rank < plan.ranks / 2;
}

static bool waits_for_half(int slot, int victim, int other)
{
	return slot == 0 && half_of(victim) == half_of(other);
}

/* One-sided: to the next rank, while all work; the fence ends it. */

static KEPT void fence_step(struct lane *l, int i)
{
	bool last = i == plan.iterations - 1;

	if (i == 0)
		MPI_Win_fence(MPI_MODE_NOPRECEDE, l->win);
	MPI_Put(out, SMALL, MPI_DOUBLE, (plan.rank + 1) % plan.ranks, 0, SMALL,
		MPI_DOUBLE, l->win);
	work(l, i);
	stamped(l, 0, i, MPI_Win_fence(last ? MPI_MODE_NOSUCCEED : 0, l->win));
}

/* Messages between two: even ranks send to the next one. */

static int pair_of(int rank)
{
	int pair = rank ^ 1;

	return pair < plan.ranks ? pair : MPI_PROC_NULL;
}

static bool waits_for_pair(int slot, int victim, int other)
{
	return slot == 0 && other == pair_of(victim);
}

static bool sends(int rank)
{
	return rank % 2 == 0 && pair_of(rank) >= 0;
}

static bool receives(int rank)
{
	return rank % 2 == 1;
}

static KEPT void receive(struct lane *l, int i, int count)
{
	stamped(l, 0, i,
		MPI_Recv(in, count, MPI_DOUBLE, pair_of(plan.rank), 0, l->comm,
			 MPI_STATUS_IGNORE));
}

static KEPT void message_step(struct lane *l, int i)
{
	work(l, i);
	if (receives(plan.rank))
		receive(l, i, SMALL);
	else
		stamped(l, 0, i,
			MPI_Send(out, SMALL, MPI_DOUBLE, pair_of(plan.rank), 0,
				 l->comm));
}

static KEPT void ssend_step(struct lane *l, int i)
{
	work(l, i);
	if (receives(plan.rank))
		receive(l, i, SMALL);
	else
		stamped(l, 0, i,
			MPI_Ssend(out, SMALL, MPI_DOUBLE, pair_of(plan.rank), 0,
				  l->comm));
}

static KEPT void rendezvous_step(struct lane *l, int i)
{
	work(l, i);
	if (receives(plan.rank))
		receive(l, i, LARGE);
	else
		stamped(l, 0, i,
			MPI_Send(out, LARGE, MPI_DOUBLE, pair_of(plan.rank), 0,
				 l->comm));
}

/* One-sided between two: even ranks put, when the other one lets them. */

static MPI_Group pair_group(void)
{
	int pair = pair_of(plan.rank);
	MPI_Group all, group;

	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Group_incl(all, pair >= 0, &pair, &group);
	MPI_Group_free(&all);
	return group;
}

static void begin_put(struct lane *l, MPI_Group group)
{
	MPI_Win_start(group, 0, l->win);
	if (pair_of(plan.rank) >= 0)
		MPI_Put(out, SMALL, MPI_DOUBLE, pair_of(plan.rank), 0, SMALL,
			MPI_DOUBLE, l->win);
}

static void put(struct lane *l, MPI_Group group)
{
	begin_put(l, group);
	MPI_Win_complete(l->win);
}

static void let_put(struct lane *l, MPI_Group group)
{
	MPI_Win_post(group, 0, l->win);
	MPI_Win_wait(l->win);
}

static KEPT void post_step(struct lane *l, int i)
{
	MPI_Group group = pair_group();

	work(l, i);
	if (receives(plan.rank))
		stamped(l, 0, i, let_put(l, group));
	else
		stamped(l, 0, i, put(l, group));
	MPI_Group_free(&group);
}

static KEPT void complete_step(struct lane *l, int i)
{
	MPI_Group group = pair_group();

	if (receives(plan.rank))
		MPI_Win_post(group, 0, l->win);
	else
		begin_put(l, group);
	work(l, i);
	if (receives(plan.rank))
		stamped(l, 0, i, MPI_Win_wait(l->win));
	else
		stamped(l, 0, i, MPI_Win_complete(l->win));
	MPI_Group_free(&group);
}

/* Neighbours, in a line or on a plane; its edges are open. */

static int columns(void)
{
	int dims[2] = { 0, 0 };

	MPI_Dims_create(plan.ranks, 2, dims);
	return dims[1];
}

static int width; /* of the plane; of a line: all ranks */

static int neighbour(int rank, int side)
{
	int x = rank % width, y = rank / width;

	x += side == 0 ? -1 : side == 1;
	y += side == 2 ? -1 : side == 3;
	if (x < 0 || x >= width || y < 0 || y >= plan.ranks / width)
		return MPI_PROC_NULL;
	return y * width + x;
}

static bool waits_for_neighbours(int slot, int victim, int other)
{
	if (slot != 0)
		return false;
	for (int side = 0; side < 4; side++)
		if (neighbour(victim, side) == other)
			return true;
	return false;
}

static KEPT void exchange(struct lane *l, int i)
{
	struct stamp *s = stamp_of(l, 0, i);
	MPI_Request r[8];

	s->begin = now();
	for (int side = 0; side < 4; side++)
		MPI_Irecv(&in[side * SMALL], SMALL, MPI_DOUBLE,
			  neighbour(plan.rank, side), side ^ 1, l->comm,
			  &r[side]);
	for (int side = 0; side < 4; side++)
		MPI_Isend(&out[side * SMALL], SMALL, MPI_DOUBLE,
			  neighbour(plan.rank, side), side, l->comm,
			  &r[4 + side]);
	s->enter = now();
	MPI_Waitall(8, r, MPI_STATUSES_IGNORE);
	s->leave = now();
}

static KEPT void halo_step(struct lane *l, int i)
{
	work(l, i);
	exchange(l, i);
}

static KEPT void plane_step(struct lane *l, int i)
{
	work(l, i);
	exchange(l, i);
}

static KEPT void neighbours_step(struct lane *l, int i)
{
	work(l, i);
	stamped(l, 0, i,
		MPI_Neighbor_alltoall(out, SMALL, MPI_DOUBLE, in, SMALL,
				      MPI_DOUBLE, l->comm));
}

/* Open MPI may not be done with sending before the message is received. */
static bool waits_in_ring(int slot, int victim, int other)
{
	int ahead = (other + plan.ranks - victim) % plan.ranks;

	return slot == 0 && (ahead == 1 || ahead == plan.ranks - 1);
}

static KEPT void ring_step(struct lane *l, int i)
{
	int right = (plan.rank + 1) % plan.ranks;
	int left = (plan.rank + plan.ranks - 1) % plan.ranks;

	work(l, i);
	stamped(l, 0, i,
		MPI_Sendrecv(out, SMALL, MPI_DOUBLE, right, 0, in, SMALL,
			     MPI_DOUBLE, left, 0, l->comm, MPI_STATUS_IGNORE));
}

/*
 * Rank 0 hands out tasks (slot 0: the others wait for it), and collects what
 * they made of them (slot 1: it waits for them).  In both, who sends waits as
 * well, for who receives: as in a ring.
 */

static bool master_and_workers(int slot, int victim, int other)
{
	(void)slot; /* both */
	return (victim == 0) != (other == 0);
}

static bool is_master(int rank)
{
	return rank == 0;
}

static bool is_worker(int rank)
{
	return rank != 0;
}

/* All at once, so that all are waited for from the same moment. */
static KEPT void hand_out(struct lane *l, int i)
{
	struct stamp *s = stamp_of(l, 0, i);
	MPI_Request r[plan.ranks];

	s->begin = now();
	for (int worker = 1; worker < plan.ranks; worker++)
		MPI_Isend(out, SMALL, MPI_DOUBLE, worker, 1, l->comm,
			  &r[worker - 1]);
	s->enter = now();
	MPI_Waitall(plan.ranks - 1, r, MPI_STATUSES_IGNORE);
	s->leave = now();
}

static KEPT void collect(struct lane *l, int i)
{
	struct stamp *s = stamp_of(l, 1, i);
	MPI_Request r[plan.ranks];

	s->begin = now();
	for (int worker = 1; worker < plan.ranks; worker++)
		MPI_Irecv(&in[worker * SMALL], SMALL, MPI_DOUBLE, worker, 2,
			  l->comm, &r[worker - 1]);
	s->enter = now();
	MPI_Waitall(plan.ranks - 1, r, MPI_STATUSES_IGNORE);
	s->leave = now();
}

static KEPT void return_result(struct lane *l, int i)
{
	stamped(l, 1, i, MPI_Send(out, SMALL, MPI_DOUBLE, 0, 2, l->comm));
}

static KEPT void worker_step(struct lane *l, int i)
{
	advance(plan.origin + plan.due[i]);
	if (plan.rank == 0) {
		be_late(l, i);
		hand_out(l, i);
		collect(l, i);
		return;
	}
	stamped(l, 0, i,
		MPI_Recv(in, SMALL, MPI_DOUBLE, 0, 1, l->comm,
			 MPI_STATUS_IGNORE));
	be_late(l, i);
	return_result(l, i);
	STAY;
}

/* Threads: a helper that works for rank's main thread, which alone calls MPI.
 */

static pthread_barrier_t helped;

static KEPT void *help(void *unused)
{
	for (int i = 0; i < plan.iterations; i++) {
		double start = cpu_seconds();

		while (cpu_seconds() - start < plan.busy)
			known_work();
		pthread_barrier_wait(&helped);
	}
	return unused;
}

static KEPT void threads_step(struct lane *l, int i)
{
	double mine = i, all;

	if (i == 0) {
		pthread_barrier_init(&helped, NULL, 2);
		pthread_create(&l->thread, NULL, help, NULL);
	}
	advance(plan.origin + plan.due[i]);
	pthread_barrier_wait(&helped);
	be_late(l, i);
	stamped(l, 0, i,
		MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, l->comm));
	if (i == plan.iterations - 1)
		pthread_join(l->thread, NULL);
}

#define N_TO_N "NxN"
static const struct pattern patterns[] = {
	{ "barrier", "barrier", "barrier_step", barrier_step, waits_for_all,
	  anybody, 0 },
	{ "allreduce", N_TO_N, "allreduce_step", allreduce_step, waits_for_all,
	  anybody, 0 },
	{ "alltoall", N_TO_N, "alltoall_step", alltoall_step, waits_for_all,
	  anybody, 0 },
	{ "iallreduce", N_TO_N, "iallreduce_step", iallreduce_step,
	  waits_for_all, anybody, 0 },
	{ "bcast", "1xN", "bcast_step", bcast_step, waits_for_root, is_root,
	  0 },
	{ "scatter", "1xN", "scatter_step", scatter_step, waits_for_root,
	  is_root, 0 },
	{ "reduce", "Nx1", "reduce_step", reduce_step, root_waits, is_not_root,
	  0 },
	{ "gather", "Nx1", "gather_step", gather_step, root_waits, is_not_root,
	  0 },
	{ "scan", "prefix", "scan_step", scan_step, waits_for_lower,
	  is_not_last, 0 },
	{ "split", N_TO_N, "allreduce_step", allreduce_step, waits_for_half,
	  anybody, 0 },
	{ "fence", "fence", "fence_step", fence_step, waits_for_all, anybody,
	  ONE_SIDED },
	{ "late-sender", "late-sender", "message_step", message_step,
	  waits_for_pair, sends, 0 },
	{ "late-receiver", "late-receiver", "receive", ssend_step,
	  waits_for_pair, receives, 0 },
	{ "rendezvous", "late-receiver", "receive", rendezvous_step,
	  waits_for_pair, receives, 0 },
	{ "post", "late-sender", "post_step", post_step, waits_for_pair,
	  receives, ONE_SIDED },
	{ "complete", "late-sender", "complete_step", complete_step,
	  waits_for_pair, sends, ONE_SIDED },
	{ "halo", "late-sender", "exchange", halo_step, waits_for_neighbours,
	  anybody, 0 },
	{ "halo-2d", "late-sender", "exchange", plane_step,
	  waits_for_neighbours, anybody, 0 },
	{ "halo-wave", "late-sender", "exchange", halo_step,
	  waits_for_neighbours, anybody, SPREADS },
	{ "neighbours", "late-sender", "neighbours_step", neighbours_step,
	  waits_for_neighbours, anybody, TOPOLOGY },
	{ "ring", "late-sender", "ring_step", ring_step, waits_in_ring, anybody,
	  SPREADS },
	{ "worker", "late-sender", "return_result", worker_step,
	  master_and_workers, is_worker, SPREADS | TASKS },
	{ "master", "late-sender", "hand_out", worker_step, master_and_workers,
	  is_master, SPREADS | TASKS },
	{ "threads", N_TO_N, "threads_step", threads_step, waits_for_all,
	  anybody, 0 },
	{ "multiple", N_TO_N, "allreduce_step", allreduce_step, waits_for_all,
	  anybody, THREADED },
};

static void list_patterns(FILE *to)
{
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
		fprintf(to, "%s\n", patterns[i].name);
}

static void bad_usage(const char *word)
{
	fprintf(stderr, "delays: what is '%s'?  patterns:\n", word);
	list_patterns(stderr);
	exit(2);
}

static int drawn(int count)
{
	int at = (int)(known_random() * count);

	return at < count ? at : count - 1;
}

static int how = -1, late = -1;

static bool option(const char *key, const char *value)
{
	const struct {
		const char *key;
		int *to;
		double *number;
	} options[] = {
		{ "iterations", &plan.iterations, NULL },
		{ "late", &late, NULL },
		{ "step", NULL, &plan.step },
		{ "delay", NULL, &plan.lateness },
		{ "busy", NULL, &plan.busy },
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		if (strcmp(key, options[i].key) != 0)
			continue;
		if (options[i].to)
			*options[i].to = atoi(value);
		else
			*options[i].number = atof(value);
		return true;
	}
	if (strcmp(key, "how") == 0) {
		how = strcmp(value, "busy") != 0;
		plan.helped = strcmp(value, "helper") == 0;
	} else if (strcmp(key, "seed") == 0) {
		plan.seed = atol(value);
	} else if (strcmp(key, "balanced") == 0) {
		plan.balanced = atoi(value);
	} else {
		return false;
	}
	return true;
}

static void read_arguments(int argc, char **argv)
{
	plan.iterations = 40;
	plan.step = plan.lateness = 0.01;
	plan.busy = 0.0005;
	plan.seed = (long)time(NULL);
	if (argc < 2)
		bad_usage("");
	if (strcmp(argv[1], "patterns") == 0) {
		list_patterns(stdout);
		exit(0);
	}
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
		if (strcmp(argv[1], patterns[i].name) == 0)
			plan.pattern = &patterns[i];
	if (!plan.pattern)
		bad_usage(argv[1]);
	for (int i = 2; i < argc; i++) {
		char *value = strchr(argv[i], '=');

		if (value)
			*value++ = '\0';
		if (!value || !option(argv[i], value))
			bad_usage(argv[i]);
	}
	if (plan.iterations < 1)
		bad_usage("iterations");
}

static void draw(void)
{
	double mean;
	size_t n = (size_t)plan.iterations;

	MPI_Bcast(&plan.seed, 1, MPI_LONG, 0, MPI_COMM_WORLD);
	known_seed[1] = (unsigned short)plan.seed;
	known_seed[2] = (unsigned short)(plan.seed >> 16);
	for (int i = 0; i < 8; i++) /* seeds are close to each other */
		known_random();
	plan.root = drawn(plan.ranks);
	do
		plan.culprit = drawn(plan.ranks);
	while (!plan.pattern->may_be_late(plan.culprit));
	if (late >= 0)
		plan.culprit = late % plan.ranks;
	if (plan.pattern->may_be_late == is_root)
		plan.root = plan.culprit;
	else if (plan.root == plan.culprit)
		plan.root = (plan.root + 1) % plan.ranks;
	if (!plan.pattern->may_be_late(plan.culprit)) {
		fprintf(stderr, "delays: nobody waits for rank %d\n", late);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	plan.place = drawn(PLACES);
	plan.lane = drawn(lane_count());
	plan.asleep = drawn(4) == 0;
	if (how >= 0)
		plan.asleep = how;
	mean = plan.lateness * (0.5 + known_random());
	plan.delays = calloc(n, sizeof(double));
	for (size_t i = 0; i < n && !plan.balanced; i++)
		plan.delays[i] = mean * (0.5 + known_random());
	plan.due = calloc(n, sizeof(double));
	plan.from = calloc(n, sizeof(double));
	plan.waits = calloc(n * SLOTS * (size_t)plan.ranks, sizeof(double));
	width = plan.pattern->step == plane_step ? columns() : plan.ranks;
	plan_all();
}

static KEPT void *run_lane(void *of)
{
	struct lane *l = of;

	for (int i = 0; i < plan.iterations; i++)
		plan.pattern->step(l, i);
	return NULL;
}

/* In a line, its ends open. */
static void line_up(struct lane *l)
{
	const int length[] = { plan.ranks }, closed[] = { 0 };
	MPI_Comm line;

	MPI_Cart_create(l->comm, 1, length, closed, 0, &line);
	MPI_Comm_free(&l->comm);
	l->comm = line;
}

static void open_window(struct lane *l)
{
	MPI_Win_create(in, sizeof(in), sizeof(*in), MPI_INFO_NULL, l->comm,
		       &l->win);
}

static void start(struct lane *lanes, struct stamp *stamps)
{
	int split = plan.pattern->waits == waits_for_half;
	size_t each = (size_t)SLOTS * (size_t)plan.iterations;

	for (int i = 0; i < lane_count(); i++) {
		MPI_Comm_split(MPI_COMM_WORLD, split && half_of(plan.rank),
			       plan.rank, &lanes[i].comm);
		lanes[i].number = i;
		lanes[i].stamps = stamps + (size_t)i * each;
		if (has(TOPOLOGY))
			line_up(&lanes[i]);
		if (has(ONE_SIDED))
			open_window(&lanes[i]);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	plan.origin = now() + 0.002;
	MPI_Bcast(&plan.origin, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

/* Seconds that all iterations took. */
static double run(struct lane *lanes)
{
	double begun = now();

	if (lane_count() == 1) {
		run_lane(&lanes[0]);
		return now() - begun;
	}
	for (int i = 0; i < lane_count(); i++)
		pthread_create(&lanes[i].thread, NULL, run_lane, &lanes[i]);
	for (int i = 0; i < lane_count(); i++)
		pthread_join(lanes[i].thread, NULL);
	return now() - begun;
}

static void print_victims(const struct truth *t, double of)
{
	const char *between = "";

	printf(" victims=");
	for (int i = 0; i < plan.ranks; i++) {
		if (of <= 0 || t->for_culprit[i] < 0.05 * of)
			continue;
		printf("%s%d", between, i);
		between = ",";
	}
}

static void print_truth(const struct stamp *all, double seconds)
{
	struct truth t;
	double lost;
	int worst = 0;

	judge(&t, all);
	lost = plan.balanced ? 0 : sum_of(t.for_culprit, plan.ranks);
	for (int i = 0; i < plan.ranks; i++)
		worst = t.blamed[i] > t.blamed[worst] ? i : worst;
	printf("truth: pattern=%s kind=%s culprit_rank=%d culprit_path=%s",
	       plan.pattern->name, plan.balanced ? "none" : plan.pattern->kind,
	       plan.balanced ? -1 : plan.culprit,
	       plan.asleep ? plan.pattern->caller : places[plan.place].path);
	printf(" how=%s seconds=%.6f drawn=%.6f",
	       plan.asleep ? "sleep" : "busy", lost,
	       sum_of(plan.waits, SLOTS * plan.ranks * plan.iterations));
	print_victims(&t, lost);
	printf(" worst_rank=%d worst_seconds=%.6f run=%.6f ranks=%d seed=%ld\n",
	       worst, t.blamed[worst], seconds, plan.ranks, plan.seed);
}

int main(int argc, char **argv)
{
	struct lane lanes[LANES] = { 0 };
	struct stamp *mine, *all = NULL;
	size_t count;
	double seconds;
	int level, provided;

	read_arguments(argc, argv);
	level = lane_count() > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED;
	MPI_Init_thread(&argc, &argv, level, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &plan.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &plan.ranks);
	if (provided < level || plan.ranks < 2) {
		fprintf(stderr, "delays: not possible here\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	draw();
	count = (size_t)lane_count() * SLOTS * (size_t)plan.iterations;
	mine = calloc(count, sizeof(*mine));
	if (plan.rank == 0)
		all = calloc(count * (size_t)plan.ranks, sizeof(*all));
	start(lanes, mine);
	seconds = run(lanes);
	if (has(ONE_SIDED))
		MPI_Win_free(&lanes[0].win);
	count *= sizeof(*mine) / sizeof(double);
	MPI_Gather(mine, (int)count, MPI_DOUBLE, all, (int)count, MPI_DOUBLE, 0,
		   MPI_COMM_WORLD);
	MPI_Finalize();
	if (plan.rank == 0)
		print_truth(all, seconds);
	return 0;
}
