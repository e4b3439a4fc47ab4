/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * made-stalls.c - alpha on two paths, 30 and 10 ms, and beta on one; samples of
 * lines 10, 17 and 30 of alpha's, of line 40 of beta's and of none; of gamma,
 * of whose launch and module nothing is known; and of more instructions than
 * CUPTI tells at once.  Before and after a reset, with a second context on the
 * device, with another process on it, or until it is killed; or before a reset,
 * with the numbers of all descriptors taken for sockets of its own; or of beta
 * alone, before, in and after a pause.
 */
#include "made-stalls.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "made-cuda.h"

#define NOINLINE __attribute__((noinline))

enum {
	NUMBERS = 256
};

/* Mutable: what keeps calls from being the last thing that a function does. */
static volatile int sink;

NOINLINE static void near(void)
{
	for (int i = 0; i < 3; i++)
		made_cudaLaunchKernel("_Z5alphaPfi", 0, 10000000);
	sink++;
}

NOINLINE static void far(void)
{
	made_cudaLaunchKernel("_Z5alphaPfi", 0, 10000000);
	made_cudaLaunchKernel("_Z4betaPf", 0, 5000000);
	sink++;
}

NOINLINE static void sample(uint64_t module)
{
	const uint32_t memory = made_reason("long_scoreboard"),
		       idle = made_reason("long_scoreboard_not_issued"),
		       issued = made_reason("selected"),
		       strange = made_reason("tomorrow");

	for (uint64_t pc = 64; pc < 128; pc += 2)
		made_sample(module, "_Z5alphaPfi", 9999, pc, memory, 20);
	made_sample(module, "_Z5alphaPfi", 9999, 64, idle, 400);
	made_sample(module, "_Z5alphaPfi", 9999, 0, issued, 40);
	made_sample(module, "_Z5alphaPfi", 9999, 0, strange, 4);
	made_sample(module, "helper", 9999, 16, issued, 80);
	made_sample(module, "_Z4betaPf", 9999, 8, issued, 100);
	made_sample(module, "_Z4betaPf", 9999, 640, issued, 11);
	made_sample(~module, "_Z5gammav", 9999, 8, issued, 50);
	sink++;
}

/* In tests/gpu/hotline.cu, as nvcc 13 compiles it: see the test. */
NOINLINE static void hot(uint64_t module)
{
	const uint32_t issued = made_reason("selected");

	made_sample(module, "_Z12one_hot_linePfiPi", 3, 0x160, issued, 60);
	made_sample(module, "_Z12one_hot_linePfiPi", 3, 0x190, issued, 30);
	made_sample(module, "_Z12one_hot_linePfiPi", 3, 0x280, issued, 10);
	sink++;
}

static void beta(uint64_t module, uint32_t samples)
{
	made_sample(module, "_Z4betaPf", 9999, 8, made_reason("selected"),
		    samples);
}

/*
 * 1000 and 200 that are counted; 30 that nobody had asked for when the pause
 * began, 4 in it, and 500 before it is known that it is long over.
 */
NOINLINE static void pauses(uint64_t module)
{
	made_cudaProfilerStart();
	made_answered();
	usleep(300000);
	made_answered();
	beta(module, 1000);
	made_answered();
	beta(module, 30);
	made_cudaProfilerStop();
	beta(module, 4);
	made_answered();
	made_cudaProfilerStart();
	beta(module, 500);
	made_answered();
	usleep(300000);
	made_answered();
	beta(module, 200);
	sink++;
}

/* Beside this one, with samples of its own. */
NOINLINE static void process_beside(const char *path)
{
	pid_t child = fork();

	if (!child) {
		execl("/proc/self/exe", "made", "stalls", path, "hot",
		      (char *)NULL);
		_exit(127);
	}
	waitpid(child, NULL, 0);
	sink++;
}

static bool is_socket(int fd)
{
	socklen_t size = sizeof(int);
	int type;

	return !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size);
}

/* One of them is the claim. */
static void take_numbers(void)
{
	int sockets = 0;

	for (int i = 3; i < NUMBERS; i++) {
		sockets += is_socket(i);
		close(i);
	}
	if (!sockets)
		exit(6);
	for (int i = 3; i < NUMBERS; i++)
		if (socket(AF_UNIX, SOCK_DGRAM, 0) != i)
			exit(3);
}

static void check_numbers(void)
{
	for (int i = 3; i < NUMBERS; i++)
		if (!is_socket(i))
			_exit(4);
}

/* Here and in a child. */
NOINLINE static void closes(void)
{
	int status = 0;
	pid_t child;

	take_numbers();
	child = fork();
	if (!child) {
		check_numbers();
		_exit(0);
	}
	waitpid(child, &status, 0);
	if (status)
		exit(5);
	made_cudaDeviceReset();
	check_numbers();
	sink++;
}

void stalls(const char *path, const char *how)
{
	uint64_t module;

	near();
	module = path ? made_module(path) : 0;
	if (!module) {
		fprintf(stderr, "made stalls: no module\n");
		exit(2);
	}
	if (!strcmp(how, "hot")) {
		hot(module);
		return;
	} else if (!strcmp(how, "pauses")) {
		pauses(module);
		return;
	}
	if (!strcmp(how, "beside"))
		made_context_beside();
	far();
	sample(module);
	if (!strcmp(how, "process")) {
		process_beside(path);
	} else if (!strcmp(how, "reset")) {
		made_cudaDeviceReset();
		sample(module);
	} else if (!strcmp(how, "closes")) {
		closes();
	} else if (!strcmp(how, "killed")) {
		made_answered();
		made_told();
		kill(getpid(), SIGKILL);
	}
	sink++;
}
