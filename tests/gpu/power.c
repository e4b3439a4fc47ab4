/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * power.c COMMAND... - runs the command and meanwhile reads the power of each
 * GPU from NVML ten times a second; then says the integral of that, for those
 * which had work, and what the GPU's own counter of energy says.  Its status is
 * the command's.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "truths.h"

#define MAX_DEVICES 16
#define PERIOD      0.1

/* NVML's own header is in none of Debian's packages; its functions are C. */
typedef void *nvml_device;
static struct {
	int (*nvmlInit_v2)(void);
	int (*nvmlDeviceGetCount_v2)(unsigned int *);
	int (*nvmlDeviceGetHandleByIndex_v2)(unsigned int, nvml_device *);
	int (*nvmlDeviceGetUUID)(nvml_device, char *, unsigned int size);
	int (*nvmlDeviceGetUtilizationRates)(nvml_device,
					     unsigned int per_cent[2]);
	int (*nvmlDeviceGetPowerUsage)(nvml_device, unsigned int *mw);
	int (*nvmlDeviceGetTotalEnergyConsumption)(nvml_device,
						   unsigned long long *mj);
} nvml;

static struct gpu {
	nvml_device device;
	double watts, joules;       /* now; until now */
	unsigned long long counter; /* mJ at the start, 0: none */
	bool worked;                /* a kernel ran at some reading */
} gpus[MAX_DEVICES];
static unsigned int gpu_count;

static void find(void *lib, const char *name, void *function)
{
	*(void **)function = dlsym(lib, name);
	if (!*(void **)function)
		broken(name, "is not in libnvidia-ml.so.1");
}

#define FIND(lib, name) find(lib, #name, &nvml.name)

static void nvml_open(void)
{
	void *lib = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!lib)
		skip_this("needs a GPU, and there is no libnvidia-ml.so.1");
	FIND(lib, nvmlInit_v2);
	FIND(lib, nvmlDeviceGetCount_v2);
	FIND(lib, nvmlDeviceGetHandleByIndex_v2);
	FIND(lib, nvmlDeviceGetUUID);
	FIND(lib, nvmlDeviceGetUtilizationRates);
	FIND(lib, nvmlDeviceGetPowerUsage);
	FIND(lib, nvmlDeviceGetTotalEnergyConsumption);
	if (nvml.nvmlInit_v2() || nvml.nvmlDeviceGetCount_v2(&gpu_count) ||
	    gpu_count == 0)
		skip_this("needs a GPU, and NVML has none");
	if (gpu_count > MAX_DEVICES)
		gpu_count = MAX_DEVICES;
}

static double watts_of(const struct gpu *g)
{
	unsigned int mw = 0;

	if (nvml.nvmlDeviceGetPowerUsage(g->device, &mw))
		skip_this("needs a GPU that tells its power");
	return mw * 1e-3;
}

static bool used(const struct gpu *g)
{
	unsigned int per_cent[2] = { 0 };

	return !nvml.nvmlDeviceGetUtilizationRates(g->device, per_cent) &&
	       per_cent[0];
}

static void start(void)
{
	for (unsigned int i = 0; i < gpu_count; i++) {
		struct gpu *g = &gpus[i];

		if (nvml.nvmlDeviceGetHandleByIndex_v2(i, &g->device))
			broken("nvmlDeviceGetHandleByIndex_v2", "failed");
		g->watts = watts_of(g);
		if (nvml.nvmlDeviceGetTotalEnergyConsumption(g->device,
							     &g->counter))
			g->counter = 0;
	}
}

/* What came since the last reading: a trapezoid. */
static void read_all(double elapsed)
{
	for (unsigned int i = 0; i < gpu_count; i++) {
		double watts = watts_of(&gpus[i]);

		gpus[i].joules += (gpus[i].watts + watts) / 2 * elapsed;
		gpus[i].watts = watts;
		gpus[i].worked |= used(&gpus[i]);
	}
}

/* Until the command ended: its status. */
static int integrate(pid_t child)
{
	double then = clock_seconds(), now;
	int status;
	pid_t ended;

	do {
		usleep((useconds_t)(PERIOD * 1e6));
		ended = waitpid(child, &status, WNOHANG);
		now = clock_seconds();
		read_all(now - then);
		then = now;
	} while (ended == 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static void say(void)
{
	for (unsigned int i = 0; i < gpu_count; i++) {
		unsigned long long mj = 0;
		char name[48] = "";

		nvml.nvmlDeviceGetUUID(gpus[i].device, name, sizeof(name));
		if (gpus[i].worked)
			measured("energy", name, "*", "joules", gpus[i].joules);
		if (gpus[i].counter &&
		    !nvml.nvmlDeviceGetTotalEnergyConsumption(gpus[i].device,
							      &mj))
			printf("counter %u %.3f\n", i,
			       (double)(mj - gpus[i].counter) * 1e-3);
	}
}

int main(int argc, char **argv)
{
	pid_t child;
	int status;

	if (argc < 2)
		broken(argv[0], "wants a command");
	nvml_open();
	start();
	child = fork();
	if (child == 0) {
		execvp(argv[1], &argv[1]);
		broken(argv[1], "cannot be run");
	}
	status = integrate(child);
	if (status == 0)
		say();
	return status;
}
