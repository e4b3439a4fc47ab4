/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * peers.cu - one process with two GPUs: kernels on each, twice as many on the
 * second, and copies between them.
 */
#include "gpu.h"

#define BYTES (16 * MIB)
#define TURNS 10

SPIN_KERNEL(spin_peers)

static void *memory[2];

static STAYS void work_on(int device, struct tally *t)
{
	TRY(cudaSetDevice(device));
	for (int i = 0; i <= device; i++)
		SPIN(spin_peers, MS, t, 0);
	TRY(cudaDeviceSynchronize());
}

static STAYS void copy_across(void)
{
	TRY(cudaMemcpyPeer(memory[1], 1, memory[0], 0, BYTES));
	TRY(cudaDeviceSynchronize());
}

static void prepare(int device)
{
	int may;

	TRY(cudaSetDevice(device));
	TRY(cudaMalloc(&memory[device], BYTES));
	TRY(cudaDeviceCanAccessPeer(&may, device, !device));
	if (may)
		TRY(cudaDeviceEnablePeerAccess(!device, 0));
}

int main(void)
{
	struct tally *t[2];

	need_gpus(2);
	prepare(0);
	prepare(1);
	t[0] = tally_new("spin_peers", "work_on");
	t[1] = tally_new("spin_peers", "work_on");
	for (int i = 0; i < TURNS; i++) {
		work_on(0, t[0]);
		work_on(1, t[1]);
		copy_across();
	}
	truth("ondevice", "spin_peers/0", "work_on", "launches",
	      (double)t[0]->launches);
	truth("ondevice", "spin_peers/1", "work_on", "launches",
	      (double)t[1]->launches);
	measured("ondevice", "spin_peers/0", "work_on", "time",
		 (double)*t[0]->spent * 1e-9);
	measured("ondevice", "spin_peers/1", "work_on", "time",
		 (double)*t[1]->spent * 1e-9);
	truth("transfer", "PtoP", "copy_across", "bytes",
	      (double)TURNS * BYTES);
	truth("transfer", "PtoP", "copy_across", "count", TURNS);
	return 0;
}
