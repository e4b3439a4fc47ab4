/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * made-energy.c - phases and kernels on a made GPU of known power
 * (made-power.h). `made-energy phases` says what each took; `made-energy work
 * SECONDS [DEVICE]` keeps a device busy; `made-energy end` takes 1 s, is
 * killed, and says how long it lived.
 */
#include "made-cuda.h"
#include "made-power.h"

#include <fcntl.h>
#include <nvtx3/nvToolsExt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define SECOND   1000000000ull

static volatile int sink;
static struct made_power *power;

static void step_to(double watts)
{
	if (!power)
		return;
	power->joules = made_power_joules(power);
	power->watts = watts;
	power->since_ns = made_power_clock();
}

static double joules(void)
{
	return power ? made_power_joules(power) : 0;
}

static void map_power(void)
{
	const char *path = getenv("MADE_POWER");
	int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
	void *at = MAP_FAILED;

	if (fd >= 0 && !ftruncate(fd, sizeof(*power)))
		at = mmap(NULL, sizeof(*power), PROT_READ | PROT_WRITE,
			  MAP_SHARED, fd, 0);
	power = at == MAP_FAILED ? NULL : at;
}

/* The device works for so long at that power, and the program waits. */
NOINLINE static void busy(const char *kernel, uint64_t ns, double watts)
{
	step_to(watts);
	made_cudaLaunchKernel(kernel, 0, ns);
	made_cudaDeviceSynchronize(ns);
	sink++;
}

NOINLINE static void warm(void)
{
	double before = joules();

	nvtxRangePushA("warm");
	busy("_Z5alphaPfi", SECOND, 150);
	nvtxRangePop();
	printf("warm %.3f\n", joules() - before);
	sink++;
}

/* What is inside is not its own. */
NOINLINE static void solve(void)
{
	double before = joules(), inner;

	nvtxRangePushA("solve");
	busy("_Z4betaPf", 2 * SECOND, 400);
	inner = joules();
	nvtxRangePushA("inner");
	busy("_Z4betaPf", SECOND, 300);
	nvtxRangePop();
	printf("inner %.3f\n", joules() - inner);
	printf("solve %.3f\n", inner - before);
	nvtxRangePop();
	sink++;
}

static void phases(void)
{
	step_to(100);
	usleep(500000);
	warm();
	solve();
	step_to(100);
	usleep(500000);
	printf("all %.3f\n", joules());
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "phases";
	double seconds = argc > 2 ? atof(argv[2]) : 1;
	uint64_t start = made_power_clock();

	map_power();
	if (!strcmp(mode, "phases"))
		phases();
	if (argc > 3)
		made_cudaSetDevice((unsigned int)atoi(argv[3]));
	if (!strcmp(mode, "work") || !strcmp(mode, "end"))
		busy("_Z5alphaPfi", (uint64_t)(seconds * 1e9), 250);
	if (!strcmp(mode, "end")) {
		made_told();
		printf("lived %.3f\n",
		       (double)(made_power_clock() - start) / 1e9);
		fflush(stdout);
		kill(getpid(), SIGKILL);
	}
	return 0;
}
