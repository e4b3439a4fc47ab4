#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# mpi4py.sh - Python with mpi4py: a program that links no MPI and opens
# it later.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
# shellcheck source=tests/lib/real.sh
. "$srcdir/tests/lib/real.sh"

cat >"$scratch/pi.py" <<'EOM'
import time
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()


def part(first, steps):
    total = 0.0
    for i in range(first, steps, size):
        x = (i + 0.5) / steps
        total += 4.0 / (1.0 + x * x)
    return total / steps


started = time.time()
steps = comm.bcast(1000000 if rank == 0 else None)
for i in range(3):
    pi = comm.allreduce(part(rank, steps * (rank + 1)))
    neighbour = comm.sendrecv(rank, dest=(rank + 1) % size,
                              source=(rank - 1) % size)
    comm.Barrier()
    if rank == 0:
        print("round %d: %.12f, neighbour %d" % (i, pi, neighbour))
sizes = comm.gather(rank * rank)
if rank == 0:
    print("squares", sizes)
    print("time", time.time() - started)
EOM

without_times() {
	grep -v '^time'
}

# Not every python3 in the path is the one that Debian's packages are for.
run_python() {
	need mpirun
	for python in python3 /usr/bin/python3; do
		"$python" -c 'import mpi4py' 2>/dev/null || continue
		run_both 2 "$python" "$scratch/pi.py"
		return
	done
	skip "no mpi4py here"
}

point "runs with and without copse" run_python
point "prints the same" after_run same_but without_times
point "leaves a profile of each rank" after_run one_profile_per_rank 2
# Waiting may come first, on cores that others use too.
point "the function of Python is hot" after_run hot_function part
point "MPI time is there" after_run mpi_time_is_there
points_done
