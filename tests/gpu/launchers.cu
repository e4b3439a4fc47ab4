/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launchers.cu [ROUNDS] - several threads launch at once, each on a stream and
 * from a function of its own, different numbers of kernels; threads come and
 * go, in 3 rounds of 20 ms or more.
 */
#include <pthread.h>

#include "gpu.h"


SPIN_KERNEL(spin_threads)

typedef void *worker(void *);

#define WORKER(name, count)                                                    \
	static STAYS void *name(void *tally)                                   \
	{                                                                      \
		cudaStream_t stream;                                           \
                                                                               \
		TRY(cudaStreamCreateWithFlags(&stream,                         \
					      cudaStreamNonBlocking));         \
		for (int i = 0; i < count; i++)                                \
			SPIN(spin_threads, MS / 4, (struct tally *)tally,      \
			     stream);                                          \
		TRY(cudaStreamSynchronize(stream));                            \
		TRY(cudaStreamDestroy(stream));                                \
		return NULL;                                                   \
	}

WORKER(worker_one, 10)
WORKER(worker_two, 20)
WORKER(worker_three, 40)
WORKER(worker_four, 80)

static const struct {
	worker *run;
	const char *name;
} workers[] = {
	{ worker_one, "worker_one" },
	{ worker_two, "worker_two" },
	{ worker_three, "worker_three" },
	{ worker_four, "worker_four" },
};
#define WORKERS 4

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 3;
	struct tally *of[WORKERS];
	pthread_t threads[WORKERS];

	need_gpus(1);
	for (int i = 0; i < WORKERS; i++)
		of[i] = tally_new("spin_threads", workers[i].name);
	for (int round = 0; round < rounds; round++) {
		for (int i = 0; i < WORKERS; i++)
			pthread_create(&threads[i], NULL, workers[i].run,
				       of[i]);
		for (int i = 0; i < WORKERS; i++)
			pthread_join(threads[i], NULL);
	}
	tallies_and_calls_say();
	return 0;
}
