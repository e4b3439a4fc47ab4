/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-stages.c [KEY=VALUE …] - a program that does different things one after
 * the other, each for a known elapsed time on all ranks: setup(), assemble(),
 * `steps` (50) steps of `step` (0.02) seconds that end in an MPI_Allreduce, and
 * finish().
 *
 *   slow=N    in step N, from 0, all are in write_restart() as well, for twice
 *             as long, or for `extra` seconds
 *   again=N   and in every Nth step after it
 *   late=R    rank R takes `by` (2) times as long in every tenth step
 *   tenth=X   every tenth step takes X times as long on all ranks
 *   drift=X   the last step takes 1 + X times as long as the first
 *   inner=N   N more MPI_Allreduce in each step, from another line
 *   parts=N   a step is in N parts, that end in calls from four more lines
 *   cpu=1     the length of steps is CPU time, so that others on the cores
 *             make them no longer
 *   marked=1  each step is a phase, copse_begin("step")
 *   level=N   step k begins with MPI_Pcontrol(N + k), and ends with its
 * negative
 *
 * Prints `stage NAME RANK BEGIN END`, in seconds since 1970, and `steps N`.
 */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <mpi.h>
#include <string.h>

#include "known.h"

static struct {
	double steps, step, slow, again, extra, late, by, tenth, drift, inner,
		cpu, marked, level, parts, stage;
} how = { .steps = 50,
	  .step = 0.02,
	  .slow = -1,
	  .again = 1e9,
	  .late = -1,
	  .by = 2,
	  .tenth = 1,
	  .parts = 1,
	  .stage = 0.6 };

static int rank;
static void (*begin)(const char *), (*end)(const char *);

static double date(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

#define until(moment)                                                          \
	while (elapsed_seconds() < (moment))                                   \
	known_work()

static KEPT void setup(double moment)
{
	until(moment);
}

static KEPT void assemble(double moment)
{
	until(moment);
}

static KEPT void finish(double moment)
{
	until(moment);
}

static double clock_of_steps(void)
{
	return how.cpu > 0 ? cpu_seconds() : elapsed_seconds();
}

static KEPT void compute(double seconds)
{
	double end = clock_of_steps() + seconds;

	while (clock_of_steps() < end)
		known_work();
}

static KEPT void write_restart(double seconds)
{
	double end = clock_of_steps() + seconds;

	while (clock_of_steps() < end)
		known_work();
}

static void say(const char *name, double from)
{
	printf("stage %s %d %.6f %.6f\n", name, rank, from, date());
	fflush(stdout);
}

static double seconds_of(int i)
{
	double seconds = how.step * (1 + how.drift * i / how.steps);

	if (i % 10 != 9)
		return seconds;
	return how.tenth * seconds * (rank == (int)how.late ? how.by : 1);
}

static KEPT void four_calls(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
}

static KEPT void step(int i, double *sum)
{
	double mine = i, from;

	for (int n = 0; n < (int)how.inner; n++)
		MPI_Allreduce(&mine, sum, 1, MPI_DOUBLE, MPI_SUM,
			      MPI_COMM_WORLD);
	for (int n = 0; n < (int)how.parts; n++) {
		compute(seconds_of(i) / how.parts);
		if (how.parts > 1)
			four_calls();
	}
	if (how.slow >= 0 && i >= (int)how.slow &&
	    (i - (int)how.slow) % (int)how.again == 0) {
		from = date();
		write_restart(how.extra > 0 ? how.extra : 2 * how.step);
		say("write_restart", from);
	}
	MPI_Allreduce(&mine, sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static KEPT double solve(void)
{
	double sum = 0, total = 0;

	for (int i = 0; i < (int)how.steps; i++) {
		int level = (int)how.level + i;

		if (begin)
			begin("step");
		if (how.level > 0)
			MPI_Pcontrol(level);
		step(i, &sum);
		if (how.level > 0)
			MPI_Pcontrol(-level);
		if (end)
			end("step");
		total += sum;
	}
	return total;
}

static void take(const char *word)
{
	static const struct {
		const char *key;
		double *to;
	} keys[] = { { "steps=", &how.steps }, { "step=", &how.step },
		     { "slow=", &how.slow },   { "extra=", &how.extra },
		     { "again=", &how.again }, { "late=", &how.late },
		     { "drift=", &how.drift }, { "by=", &how.by },
		     { "tenth=", &how.tenth }, { "inner=", &how.inner },
		     { "cpu=", &how.cpu },     { "marked=", &how.marked },
		     { "level=", &how.level }, { "parts=", &how.parts },
		     { "stage=", &how.stage } };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (!strncmp(word, keys[i].key, strlen(keys[i].key)))
			*keys[i].to = atof(word + strlen(keys[i].key));
}

int main(int argc, char **argv)
{
	double from, total;

	for (int i = 1; i < argc; i++)
		take(argv[i]);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if ((int)how.marked) {
		*(void **)&begin = dlsym(RTLD_DEFAULT, "copse_begin");
		*(void **)&end = dlsym(RTLD_DEFAULT, "copse_end");
	}
	MPI_Barrier(MPI_COMM_WORLD);
	from = date();
	setup(elapsed_seconds() + how.stage / 2);
	say("setup", from);
	MPI_Barrier(MPI_COMM_WORLD);
	from = date();
	assemble(elapsed_seconds() + how.stage);
	say("assemble", from);
	MPI_Barrier(MPI_COMM_WORLD);
	from = date();
	total = solve();
	say("solve", from);
	from = date();
	finish(elapsed_seconds() + how.stage / 2);
	say("finish", from);
	if (!rank)
		printf("steps %d\nchecksum %.0f\n", (int)how.steps, total);
	MPI_Finalize();
	return 0;
}
