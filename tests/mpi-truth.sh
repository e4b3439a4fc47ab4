#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# mpi-truth.sh - calls and bytes of each MPI function are those that the
# program itself counted, with each MPI, and it behaves as without copse.
# shellcheck source=tests/tap.sh
. "${srcdir:-$(dirname "$0")/..}/tests/tap.sh"
# shellcheck source=tests/mpi.sh
. "$srcdir/tests/mpi.sh"
cd "$scratch" || exit 99

for ranks in 2 4; do
	point "Open MPI, $ranks ranks" counts_right openmpi $ranks \
		"$programs/mpi-calls"
done
for ranks in 2 3; do
	point "MPICH, $ranks ranks" counts_right mpich $ranks \
		"$programs/mpi-calls.mpich"
done
point "MPICH: large counts, persistent collectives, partitions, sessions" \
	counts_right mpich 2 "$programs/mpi-four.mpich"
point "MPICH: sessions alone" \
	counts_right mpich 2 "$programs/mpi-four.mpich" sessions
point "Open MPI: errors, handlers, callbacks, ports, spawned processes, threads" \
	counts_right openmpi 2 "$programs/mpi-behaviour" dynamic
point "MPICH: errors, handlers, callbacks, threads" \
	counts_right mpich 2 "$programs/mpi-behaviour.mpich"
points_done
