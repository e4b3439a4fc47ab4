#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# mpi-call.sh [ROUNDS] - nanoseconds that a wrapped MPI call takes, with the
# full call path, above a wrapper that does nothing, at several depths.
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
compiler=${MPICC:-mpicc}
have mpirun || exit 0
compile mpi-call || exit 1
compile empty-pmpi -shared -fPIC || exit 1
calls=1000000

machine
for ((round = 0; round < rounds; round++)); do
	mpirun -n 1 "$scratch/mpi-call" $calls >"$scratch/plain"
	mpirun -n 1 env "LD_PRELOAD=$scratch/empty-pmpi" \
		"$scratch/mpi-call" $calls >"$scratch/empty"
	rm -rf "$scratch/mpi.copse"
	mpirun -n 1 "$copse" run --quiet -o "$scratch/mpi.copse" \
		"$scratch/mpi-call" $calls >"$scratch/copse"
	while read -r name depth plain _ _ empty _ _ cost; do
		echo "$plain" >>"$scratch/$name.$depth.plain"
		awk "BEGIN { print $empty - $plain }" \
			>>"$scratch/$name.$depth.floor"
		awk "BEGIN { print $cost - $empty }" \
			>>"$scratch/$name.$depth.copse"
	done < <(paste -d ' ' "$scratch/plain" "$scratch/empty" \
		"$scratch/copse")
done
for name in MPI_Comm_rank MPI_Sendrecv; do
	for depth in 2 20 60; do
		at=$scratch/$name.$depth
		echo "$name at depth $depth, ns per call"
		echo "  plain                      $(median "$at.plain")"
		echo "  empty wrapper above plain  $(median "$at.floor")"
		echo "  copse above empty wrapper  $(median "$at.copse")"
	done
done
