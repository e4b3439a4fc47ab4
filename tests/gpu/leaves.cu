/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * leaves.cu WAY [SECONDS] - ends in one of many ways in the middle of a kernel,
 * or by a fault of one: what ended SECONDS before that (3 when it is killed or
 * a kernel faults, else 0) has to be in the profile, and the end takes no longer
 * than it did.
 */
#include <assert.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "gpu.h"

SPIN_KERNEL(spin_ended)
SPIN_KERNEL(spin_endless)

static STAYS void long_before(struct tally *t)
{
	for (int i = 0; i < 20; i++)
		SPIN(spin_ended, MS, t, 0);
	TRY(cudaDeviceSynchronize());
}

static void by_kill(void)
{
	kill(getpid(), SIGKILL);
}

static void by_term(void)
{
	kill(getpid(), SIGTERM);
}

static void by_exit(void)
{
	exit(4);
}

static void by__exit(void)
{
	_exit(5);
}

static void by_quick_exit(void)
{
	quick_exit(5);
}

static void by_assert(void)
{
	assert(!"the end");
}

static __global__ void spin_fault(unsigned long long *nowhere)
{
	*nowhere = device_now();
}

/* What comes behind it fails, too. */
static void by_fault(void)
{
	unsigned long long *nowhere = (unsigned long long *)16;

	LAUNCH(spin_fault, 1, 1, 0, &nowhere);
	printf("fault: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
	fflush(stdout);
	exit(6);
}

static const struct way {
	const char *name;
	void (*leave)(void);
	unsigned int seconds;
} ways[] = {
	{ "kill", by_kill, 3 },   { "term", by_term, 3 },
	{ "abort", abort, 0 },    { "assert", by_assert, 0 },
	{ "_exit", by__exit, 0 }, { "quick_exit", by_quick_exit, 0 },
	{ "child", by__exit, 0 }, { "exit", by_exit, 0 },
	{ "fault", by_fault, 3 },
};

static const struct way *way_of(const char *name)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(ways[i].name, name))
			return &ways[i];
	return &ways[0];
}

/* The child has the GPU: the parent ends as it did. */
static void in_child(void)
{
	pid_t child = fork();
	int status = 0;

	if (!child)
		return;
	waitpid(child, &status, 0);
	_exit(WEXITSTATUS(status));
}

int main(int argc, char **argv)
{
	const struct way *way = way_of(argc > 1 ? argv[1] : "kill");
	unsigned long long ns = 5000 * MS, *none = NULL;

	if (!strcmp(way->name, "child"))
		in_child();
	need_gpus(1);
	long_before(tally_new("spin_ended", "long_before"));
	tallies_say();
	/* What never ends is launched, too: 1 of 21. */
	truth("records", "all", "*", "attributed", 0.95);
	fflush(stdout);
	sleep(argc > 2 ? (unsigned int)atoi(argv[2]) : way->seconds);
	if (way->leave != by_fault) {
		LAUNCH(spin_endless, 1, 1, 0, &ns, &none);
		usleep(100000);
	}
	way->leave();
	return 1;
}
