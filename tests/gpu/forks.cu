/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * forks.cu - a child that is forked before CUDA starts and uses the GPU on its
 * own; and one that is forked afterwards, which CUDA refuses, while the parent
 * goes on.
 */
#include <sys/wait.h>

#include "gpu.h"

SPIN_KERNEL(spin_parent)
SPIN_KERNEL(spin_child)

static STAYS void work_of_child(void)
{
	struct tally *t = tally_new("spin_child", "work_of_child");

	for (int i = 0; i < 6; i++)
		SPIN(spin_child, MS, t, 0);
	TRY(cudaDeviceSynchronize());
	tallies_say();
}

static STAYS void work_of_parent(struct tally *t)
{
	for (int i = 0; i < 9; i++)
		SPIN(spin_parent, MS, t, 0);
	TRY(cudaDeviceSynchronize());
}

static int wait_for(pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/* need_gpus() would start CUDA in the parent: the child asks. */
static void fork_before(void)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		need_gpus(1);
		work_of_child();
		exit(0);
	}
	status = wait_for(child);
	if (status == 77)
		exit(77);
	if (status)
		broken("the first child", "did not end well");
}

static void fork_after(void)
{
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		printf("a child of CUDA's: %s\n",
		       cudaGetErrorName(cudaDeviceSynchronize()));
		fflush(stdout);
		_exit(5);
	}
	printf("it ended with %d\n", wait_for(child));
}

int main(void)
{
	struct tally *t;

	fork_before();
	need_gpus(1);
	t = tally_new("spin_parent", "work_of_parent");
	work_of_parent(t);
	fork_after();
	work_of_parent(t);
	tallies_say();
	return 0;
}
