#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# mpi-call.sh [ROUNDS] - nanoseconds that a wrapped MPI call takes at depth 20,
# with the full call path, next to a wrapper that does nothing.
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
compiler=${MPICC:-mpicc}
compile mpi-calls
compile empty-pmpi -shared -fPIC
calls=5000000

machine
for ((round = 0; round < rounds; round++)); do
	plain=$(mpirun -n 1 "$scratch/mpi-calls" $calls)
	floor=$(mpirun -n 1 env "LD_PRELOAD=$scratch/empty-pmpi" \
		"$scratch/mpi-calls" $calls)
	rm -rf "$scratch/mpi.copse"
	cost=$(mpirun -n 1 "$copse" run --quiet -o "$scratch/mpi.copse" \
		"$scratch/mpi-calls" $calls)
	echo "$plain" >>"$scratch/plain"
	awk "BEGIN { print $floor - $plain }" >>"$scratch/floor"
	awk "BEGIN { print $cost - $floor }" >>"$scratch/copse"
done
echo "plain ns/call               $(median "$scratch/plain")"
echo "empty wrapper above plain   $(median "$scratch/floor")"
echo "copse above empty wrapper   $(median "$scratch/copse")"
