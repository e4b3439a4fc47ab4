/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * omp-constructs.c [ROUNDS] - constructs of OpenMP 4.5 and 5.0, one after the
 * other, each with a result that does not depend on which thread does what:
 * `NAME RESULT` a line, the same whatever measures the program.  What the
 * validation suites of compilers check, in one program.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	N = 400,
	THREADS = 3
};

static long rounds = 1;
static volatile long known;

/* Regions. */

static long parallel_if(void)
{
	long alone = 0, together = 0;

#pragma omp parallel if (0) reduction(+ : alone) num_threads(THREADS)
	alone += omp_get_num_threads();
#pragma omp parallel if (1) reduction(+ : together) num_threads(THREADS)
	together += omp_get_num_threads();
	return 100 * alone + together;
}

static long data_sharing(void)
{
	long first = 7, own = 3, shared = 0;

#pragma omp parallel default(none) firstprivate(first) private(own)            \
	shared(shared) num_threads(THREADS) proc_bind(close)
	{
		own = first + omp_get_thread_num();
#pragma omp atomic
		shared += own;
	}
	return 1000 * own + shared;
}

static long kept;
#pragma omp threadprivate(kept)

static long thread_private(void)
{
	long sum = 0;

	kept = 5;
#pragma omp parallel copyin(kept) reduction(+ : sum) num_threads(THREADS)
	{
		kept += omp_get_thread_num();
		sum += kept;
	}
#pragma omp parallel reduction(+ : sum) num_threads(THREADS)
	sum += 10 * kept;
	return sum;
}

static long nested_regions(void)
{
	long sum = 0;

#pragma omp parallel num_threads(2) reduction(+ : sum)
#pragma omp parallel num_threads(2) reduction(+ : sum)
	{
		sum += 100 * omp_get_level() + omp_get_active_level();
		sum += 10 * omp_get_ancestor_thread_num(1) +
		       omp_get_team_size(1);
#pragma omp parallel num_threads(2) reduction(+ : sum)
		sum += omp_get_level();
	}
	return sum;
}

static long in_a_team(void)
{
	return omp_in_parallel() * omp_get_num_threads();
}

static long orphaned(void)
{
	long sum = 0, outside = in_a_team();

#pragma omp parallel reduction(+ : sum) num_threads(THREADS)
	sum += in_a_team();
	return 100 * outside + sum;
}

/* Loops. */

#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#define LOOP(name, ...)                                                        \
	static long name(void)                                                 \
	{                                                                      \
		long sum = 0;                                                  \
                                                                               \
		PRAGMA(omp __VA_ARGS__ reduction(+ : sum))                     \
		for (long i = 0; i < N; i++)                                   \
			sum += i * i;                                          \
		return sum;                                                    \
	}
#define FOR parallel for num_threads(3)
LOOP(loop_static, FOR schedule(static))
LOOP(loop_static_chunks, FOR schedule(static, 3))
LOOP(loop_dynamic, FOR schedule(dynamic))
LOOP(loop_dynamic_chunks, FOR schedule(dynamic, 5))
LOOP(loop_guided, FOR schedule(guided))
LOOP(loop_auto, FOR schedule(auto))
LOOP(loop_runtime, FOR schedule(runtime))
LOOP(loop_monotonic, FOR schedule(monotonic : dynamic))
LOOP(loop_nonmonotonic, FOR schedule(nonmonotonic : guided))
LOOP(loop_simd, parallel for simd num_threads(3))
LOOP(loop_teams, teams distribute parallel for num_teams(2) thread_limit(2))

/* Not of a dynamic schedule, where LLVM's runtime 14 forgets it at times. */
static long loop_last(void)
{
	long last = -1;

#pragma omp parallel for lastprivate(last) num_threads(THREADS)
	for (int i = 0; i < N; i++)
		last = 3 * i;
	return last;
}

static long loop_unsigned(void)
{
	unsigned long long begin = ~0ull - 9000, end = begin + 100, sum = 0;

#pragma omp parallel for schedule(dynamic, 7) reduction(+ : sum) num_threads(3)
	for (unsigned long long i = begin; i < end; i += 3)
		sum += i - begin;
#pragma omp parallel for schedule(guided) reduction(+ : sum) num_threads(3)
	for (unsigned long long i = begin; i < end; i += 5)
		sum += i - begin;
	return (long)sum;
}

static long loop_collapse(void)
{
	long sum = 0;

#pragma omp parallel for collapse(3) schedule(dynamic, 2) reduction(+ : sum)   \
	num_threads(THREADS)
	for (int i = 0; i < 7; i++)
		for (int j = 0; j < 5; j++)
			for (int k = 0; k < 6; k++)
				sum += i * j + k;
	return sum;
}

static long loop_ordered(void)
{
	long order = 0;

#pragma omp parallel for ordered schedule(dynamic) num_threads(THREADS)
	for (int i = 0; i < 50; i++) {
#pragma omp ordered
		order = order * 3 % 1000003 + i;
	}
	return order;
}

static long loop_doacross(void)
{
	static long at[20][20];

	memset(at, 0, sizeof(at));
#pragma omp parallel for ordered(2) schedule(static, 1) num_threads(THREADS)
	for (int i = 1; i < 20; i++)
		for (int j = 1; j < 20; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
			at[i][j] =
				(at[i - 1][j] + at[i][j - 1] + i * j) % 10007;
#pragma omp ordered depend(source)
		}
	return at[19][19];
}

static long loop_scan(void)
{
	static long to[N];
	long sum = 0, all = 0;

#pragma omp parallel for reduction(inscan, + : sum) num_threads(THREADS)
	for (int i = 0; i < N; i++) {
		sum += i;
#pragma omp scan inclusive(sum)
		to[i] = sum;
	}
	for (int i = 0; i < N; i++)
		all = (all * 7 + to[i]) % 1000003;
	return all;
}

static long loop_nowait(void)
{
	static long a[N], b[N];
	long sum = 0;

#pragma omp parallel num_threads(THREADS)
	{
#pragma omp for nowait schedule(static)
		for (int i = 0; i < N; i++)
			a[i] = i;
#pragma omp for schedule(static)
		for (int i = 0; i < N; i++)
			b[i] = 2 * a[i];
#pragma omp for reduction(+ : sum) schedule(guided)
		for (int i = 0; i < N; i++)
			sum += b[N - 1 - i];
	}
	return sum;
}

/* Reductions. */

struct pair {
	long least, most;
};
#pragma omp declare reduction(                                                 \
	extremes                                                               \
	: struct pair                                                          \
	: (omp_out.least = omp_in.least < omp_out.least ? omp_in.least         \
							: omp_out.least,       \
	   omp_out.most =                                                      \
		   omp_in.most > omp_out.most ? omp_in.most : omp_out.most))   \
	initializer(omp_priv = { 1000000, -1000000 })

static long own_reduction(void)
{
	struct pair p = { 1000000, -1000000 };

#pragma omp parallel for reduction(extremes : p) num_threads(THREADS)
	for (int i = 0; i < N; i++) {
		long v = (i * 37) % 211 - 50;

		p.least = v < p.least ? v : p.least;
		p.most = v > p.most ? v : p.most;
	}
	return 1000 * p.most + p.least;
}

static long all_reductions(void)
{
	long sum = 0, product = 1, most = -1, least = N, bits = 0, ones = -1;
	int all = 1, some = 0;
	long parts[4] = { 0 };

#pragma omp parallel for num_threads(THREADS) reduction(+ : sum, parts)        \
	reduction(* : product) reduction(max : most) reduction(min : least)    \
	reduction(| : bits) reduction(& : ones) reduction(&& : all)            \
	reduction(|| : some)
	for (int i = 1; i < 20; i++) {
		sum += i;
		parts[i % 4] += i;
		product = product * (i % 3 + 1) % 10007;
		most = i > most ? i : most;
		least = i < least ? i : least;
		bits |= 1l << i;
		ones &= ~(1l << i);
		all = all && i;
		some = some || i == 7;
	}
	return sum + most + least + (ones & 0xffff) + all + some + parts[3] +
	       (product > 0) + bits;
}

/* Work shared otherwise. */

static long sections(void)
{
	long a = 0, b = 0, c = 0, last = 0;

#pragma omp parallel sections num_threads(THREADS) lastprivate(last)
	{
#pragma omp section
		a = last = 1;
#pragma omp section
		b = last = 2;
#pragma omp section
		c = last = 3;
	}
#pragma omp parallel num_threads(THREADS)
#pragma omp sections reduction(+ : a)
	{
#pragma omp section
		a += 10;
#pragma omp section
		a += 20;
	}
	return 1000 * last + a + b + c;
}

static long single(void)
{
	long many = 0, copied = 0, sum = 0;

#pragma omp parallel num_threads(THREADS) firstprivate(copied)                 \
	reduction(+ : sum)
	{
#pragma omp single
		many++;
#pragma omp single copyprivate(copied)
		copied = 11;
		sum += copied;
#pragma omp single nowait
#pragma omp atomic
		many += 10;
#pragma omp master
#pragma omp atomic
		many += 100;
#pragma omp barrier
	}
	return 1000 * sum + many;
}

/* Synchronisation. */

static long critical(void)
{
	long plain = 0, named = 0, hinted = 0;

#pragma omp parallel num_threads(THREADS)
	for (int i = 0; i < N; i++) {
#pragma omp critical
		plain++;
#pragma omp critical(first)
		named += 2;
#pragma omp critical(second) hint(omp_sync_hint_contended)
		hinted += 3;
	}
	return plain + named + hinted;
}

static long locks(void)
{
	omp_lock_t lock, hinted;
	omp_nest_lock_t nest;
	long sum = 0, deep = 0, had = 0, tested = 0;

	omp_init_lock(&lock);
	omp_init_lock(&hinted);
	omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(THREADS) reduction(+ : had)
	for (int i = 0; i < N; i++) {
		omp_set_lock(&lock);
		sum++;
		omp_unset_lock(&lock);
		omp_set_nest_lock(&nest);
		had += omp_test_nest_lock(&nest);
		deep++;
		omp_unset_nest_lock(&nest);
		omp_unset_nest_lock(&nest);
		while (!omp_test_lock(&hinted))
			continue;
		tested++;
		omp_unset_lock(&hinted);
	}
	omp_destroy_lock(&lock);
	omp_destroy_lock(&hinted);
	omp_destroy_nest_lock(&nest);
	return sum + deep + had + tested;
}

static long atomics(void)
{
	long sum = 0, taken = 0, read = 0;
	double real = 0;

#pragma omp parallel num_threads(THREADS)
	for (int i = 0; i < N; i++) {
		long mine, seen;

#pragma omp atomic update
		sum += i;
#pragma omp atomic capture seq_cst
		mine = taken++;
#pragma omp atomic
		real = real + 0.5;
#pragma omp atomic read acquire
		seen = taken;
		if (seen <= mine) {
#pragma omp atomic write release
			read = 1;
		}
	}
	return sum + taken + (long)real + 1000000 * read;
}

static long barriers(void)
{
	static long at[THREADS];
	long wrong = 0;

	memset(at, 0, sizeof(at));
#pragma omp parallel num_threads(THREADS) reduction(+ : wrong)
	for (int i = 1; i <= 50; i++) {
		at[omp_get_thread_num()] = i;
#pragma omp barrier
		for (int k = 0; k < THREADS; k++)
			wrong += at[k] != i;
#pragma omp barrier
	}
	return wrong;
}

static long flushes(void)
{
	int data = 0, flag = 0, seen = 0;

#pragma omp parallel num_threads(2) shared(data, flag, seen)
	if (omp_get_thread_num()) {
		int now = 0;

		while (!now && omp_get_num_threads() == 2) {
#pragma omp flush
#pragma omp atomic read
			now = flag;
		}
#pragma omp flush(data)
		seen = data;
	} else {
		data = 42;
#pragma omp flush(data)
#pragma omp atomic write
		flag = 1;
#pragma omp flush
	}
	return seen;
}

/* Tasks. */

static long fibonacci(int n)
{
	long a, b;

	if (n < 2)
		return n;
#pragma omp task shared(a) if (n > 4) final(n < 6) mergeable
	a = fibonacci(n - 1);
#pragma omp task shared(b) untied priority(1)
	b = fibonacci(n - 2);
#pragma omp taskwait
	return a + b;
}

static long task_tree(void)
{
	long sum = 0;

#pragma omp parallel num_threads(THREADS)
#pragma omp single
	sum = fibonacci(14);
	return sum;
}

struct large {
	char text[1500];
	long value;
};

/* Data of all sizes, some of them large, some of a length known only now. */
static long task_data(void)
{
	long sum = 0;
	struct large l = { .value = 5 };
	int length = 30;
	char text[length];
	char small[24] = "small";

	memset(text, 'x', sizeof(text));
#pragma omp parallel num_threads(THREADS)
#pragma omp master
	for (int i = 0; i < 50; i++) {
#pragma omp task firstprivate(l, i) shared(sum)
		{
			l.value += i;
#pragma omp atomic
			sum += l.value;
		}
#ifndef __clang__ /* which cannot copy what has a length known only now */
#pragma omp task firstprivate(text) shared(sum)
#pragma omp atomic
		sum += text[length - 1] == 'x';
#endif
#pragma omp task firstprivate(small) shared(sum)
#pragma omp atomic
		sum += (long)strlen(small);
#pragma omp task shared(sum)
#pragma omp atomic
		sum += 1;
	}
	return sum;
}

static long task_depend(void)
{
	static long at[N];
	long sum = 0;

	at[0] = 1;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
	{
		for (int i = 1; i < N; i++)
#pragma omp task depend(in : at[i - 1]) depend(out : at[i]) firstprivate(i)
			at[i] = (at[i - 1] * 3 + i) % 10007;
#pragma omp taskwait depend(in : at[N - 1])
		sum = at[N - 1];
#pragma omp task depend(mutexinoutset : sum)
		sum += 1;
#pragma omp task depend(mutexinoutset : sum)
		sum += 2;
#pragma omp task depend(iterator(k = 0 : 10), in : at[k]) depend(inout : sum)
		sum += at[9];
	}
	return sum;
}

static long task_group(void)
{
	long sum = 0, after = 0;

#pragma omp parallel num_threads(THREADS)
#pragma omp single
	{
#pragma omp taskgroup task_reduction(+ : sum)
		for (int i = 0; i < 60; i++) {
#pragma omp task in_reduction(+ : sum)
			{
				sum += i;
#pragma omp taskyield
#pragma omp task in_reduction(+ : sum)
				sum += 1;
			}
		}
		after = sum;
	}
	return 10 * after + (after == sum);
}

static long task_reduction(void)
{
	long sum = 0, loop = 0;

#pragma omp parallel reduction(task, + : sum) num_threads(THREADS)
	{
		sum += 1;
#pragma omp task in_reduction(+ : sum)
		sum += 10;
	}
#pragma omp parallel for reduction(task, + : loop) num_threads(THREADS)
	for (int i = 0; i < 30; i++) {
#pragma omp task in_reduction(+ : loop)
		loop += i;
	}
	return 1000 * loop + sum;
}

static long task_loop(void)
{
	long sum = 0, last = 0, many = 0;
	unsigned long long far = 0;

#pragma omp parallel num_threads(THREADS)
#pragma omp single
	{
#pragma omp taskloop grainsize(7) reduction(+ : sum) lastprivate(last)
		for (int i = 0; i < N; i++) {
			sum += i;
			last = i;
		}
#pragma omp taskloop num_tasks(5) collapse(2) shared(many)
		for (int i = 0; i < 10; i++)
			for (int j = 0; j < 10; j++)
#pragma omp atomic
				many += i * j;
#pragma omp taskloop nogroup if (0) shared(many)
		for (int i = 0; i < 10; i++)
#pragma omp atomic
			many += i;
#pragma omp taskloop simd reduction(+ : far)
		for (unsigned long long i = 1ull << 62; i < (1ull << 62) + 50;
		     i++)
			far += i - (1ull << 62);
	}
#pragma omp parallel master taskloop reduction(+ : sum) num_threads(THREADS)
	for (int i = 0; i < N; i++)
		sum += 2;
	return sum + last + many + (long)far;
}

static long task_detach(void)
{
	omp_event_handle_t event = 0;
	long done = 0, sum = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task detach(event) depend(out : done) shared(done)
		done = 1;
#pragma omp task depend(in : done) shared(done, sum)
		sum = done + 10;
		omp_fulfill_event(event);
#pragma omp taskwait
		sum += 100;
	}
	return sum;
}

static long task_final(void)
{
	long sum = 0;

#pragma omp parallel num_threads(THREADS)
#pragma omp single
#pragma omp task final(1) shared(sum)
	{
		sum += omp_in_final();
#pragma omp task shared(sum)
		sum += 10 * omp_in_final();
	}
	return sum;
}

/* Outside regions tasks are done at once. */
static long task_alone(void)
{
	long sum = 0;

#pragma omp task shared(sum)
	sum += 1;
#pragma omp taskloop shared(sum)
	for (int i = 0; i < 10; i++)
		sum += i;
#pragma omp taskwait
	return sum;
}

/* Cancelling. */

static long cancelled(void)
{
	long tasks = 0, parts = 0, all = 0;

#pragma omp parallel num_threads(THREADS) reduction(+ : all)
	{
#pragma omp for
		for (int i = 0; i < N; i++) {
			known = i;
#pragma omp cancel for
		}
#pragma omp single
		{
#pragma omp taskgroup
			for (int i = 0; i < 20; i++) {
#pragma omp task shared(tasks)
				{
#pragma omp atomic
					tasks++;
#pragma omp cancel taskgroup
				}
			}
		}
#pragma omp sections
		{
#pragma omp section
			{
#pragma omp atomic
				parts++;
#pragma omp cancel sections
			}
#pragma omp section
			{
#pragma omp cancellation point sections
#pragma omp atomic
				parts++;
			}
		}
#pragma omp cancel parallel
		all += omp_get_cancellation() ? 1000 : 1;
	}
	return (tasks > 0) + (parts <= 2) + all;
}

/* Teams, devices, vectors. */

static long teams(void)
{
	long sum = 0, inside = 0;

#pragma omp teams num_teams(2) thread_limit(2) reduction(+ : sum, inside)
	{
		sum += omp_get_num_teams() > 0;
#pragma omp distribute
		for (int i = 0; i < 10; i++)
			inside += i;
	}
	return 1000 * inside + (sum > 0);
}

static long target(void)
{
	static long at[N];
	long sum = 0;

#pragma omp target data map(tofrom : at)
	{
#pragma omp target teams distribute parallel for map(tofrom : at)
		for (int i = 0; i < N; i++)
			at[i] = 2 * i;
#pragma omp target map(tofrom : sum) map(to : at)
		for (int i = 0; i < N; i++)
			sum += at[i];
#pragma omp taskwait
	}
	return sum;
}

#pragma omp declare simd uniform(by) linear(of : 1)
static long scaled(long of, long by)
{
	return of * by;
}

static long simd(void)
{
	static long at[N];
	long sum = 0, linear = 0;

#pragma omp simd safelen(8) aligned(at : 8) linear(linear : 2)
	for (int i = 0; i < N; i++) {
		at[i] = scaled(i, 3);
		linear += 2;
	}
#pragma omp parallel num_threads(THREADS)
#pragma omp for simd reduction(+ : sum)
	for (int i = 0; i < N; i++)
		sum += at[i];
	return sum + linear;
}

static long settings(void)
{
	long sum = 0;
	int dynamic = omp_get_dynamic(), threads = omp_get_max_threads();
	omp_sched_t kind;
	int chunk;

	omp_set_dynamic(0);
	omp_set_num_threads(2);
	omp_set_schedule(omp_sched_dynamic, 3);
	omp_get_schedule(&kind, &chunk);
#pragma omp parallel reduction(+ : sum)
	sum += omp_get_num_threads() + 10 * omp_get_max_active_levels();
	omp_set_num_threads(threads);
	omp_set_dynamic(dynamic);
	return 100 * chunk + sum;
}

static const struct {
	const char *name;
	long (*of)(void);
} constructs[] = {
#define ROW(name)                                                              \
	{                                                                      \
#name, name                                                    \
	}
	ROW(parallel_if),
	ROW(data_sharing),
	ROW(thread_private),
	ROW(nested_regions),
	ROW(orphaned),
	ROW(loop_static),
	ROW(loop_static_chunks),
	ROW(loop_dynamic),
	ROW(loop_dynamic_chunks),
	ROW(loop_guided),
	ROW(loop_auto),
	ROW(loop_runtime),
	ROW(loop_monotonic),
	ROW(loop_nonmonotonic),
	ROW(loop_simd),
	ROW(loop_teams),
	ROW(loop_last),
	ROW(loop_unsigned),
	ROW(loop_collapse),
	ROW(loop_ordered),
	ROW(loop_doacross),
	ROW(loop_scan),
	ROW(loop_nowait),
	ROW(own_reduction),
	ROW(all_reductions),
	ROW(sections),
	ROW(single),
	ROW(critical),
	ROW(locks),
	ROW(atomics),
	ROW(barriers),
	ROW(flushes),
	ROW(task_tree),
	ROW(task_data),
	ROW(task_depend),
	ROW(task_group),
	ROW(task_reduction),
	ROW(task_loop),
	ROW(task_detach),
	ROW(task_final),
	ROW(task_alone),
	ROW(cancelled),
	ROW(teams),
	ROW(target),
	ROW(simd),
	ROW(settings),
};

int main(int argc, char **argv)
{
	omp_set_max_active_levels(2);
	if (argc > 1)
		rounds = atol(argv[1]);
	for (size_t i = 0; i < sizeof(constructs) / sizeof(*constructs); i++) {
		long is = constructs[i].of();

		for (long k = 1; k < rounds; k++)
			if (constructs[i].of() != is)
				printf("%s differs\n", constructs[i].name);
		printf("%s %ld\n", constructs[i].name, is);
	}
	return 0;
}
