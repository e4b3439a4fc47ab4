# SPDX-License-Identifier: BSD-3-Clause
"""Statistics of an ensemble: each rank has some members, computes extremes
and quantiles of each station, and rank 0 ranks the members."""
import sys
import time

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
STATIONS = 9000


class StationRecord:
    def __init__(self, station, mean, spread, peak, quantiles):
        self.station = station
        self.mean = mean
        self.spread = spread
        self.peak = peak
        self.quantiles = quantiles


def simulate_member(state, step):
    for _ in range(4):
        state += 0.05 * (np.roll(state, 1, axis=0) - state)
        state += 0.01 * np.sin(state + step)
    return state


def summarise(state):
    quantiles = np.quantile(state, (0.1, 0.5, 0.9), axis=1).T
    return state.mean(axis=1), state.std(axis=1), state.max(axis=1), quantiles


def to_records(mean, spread, peak, quantiles):
    return [StationRecord(i, float(mean[i]), float(spread[i]), float(peak[i]),
                          tuple(quantiles[i].tolist()))
            for i in range(STATIONS)]


def collect_records(numbers):
    gathered = comm.gather(to_records(*numbers), root=0)
    if rank != 0:
        return 0.0
    return sum(r.mean for records in gathered for r in records)


def collect_arrays(numbers):
    mine = np.column_stack(numbers)
    every = np.empty((size,) + mine.shape) if rank == 0 else None
    comm.Gather(np.ascontiguousarray(mine), every, root=0)
    return float(every[:, :, 0].sum()) if rank == 0 else 0.0


def main():
    factor = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    collect = collect_arrays if sys.argv[2:] == ["fixed"] else collect_records
    state = np.random.default_rng(rank).normal(size=(STATIONS, 32))
    total = 0.0
    comm.Barrier()
    began = time.time()
    for step in range(int(16 * factor)):
        state = simulate_member(state, step)
        total += collect(summarise(state))
    if rank == 0:
        print(f"total {total:.6f}, {time.time() - began:.2f} s")


main()
