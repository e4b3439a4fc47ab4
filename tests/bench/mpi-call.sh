#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# mpi-call.sh [ROUNDS [CALLS]] - nanoseconds that a wrapped MPI call takes, with
# the full call path, above a wrapper that does nothing, at several depths: of a
# process that talks to itself, and of two that talk to each other (which calls
# they are stands at the head of mpi-call.c).  Each round runs one plain, with
# the empty wrapper and with copse, one after the other, and is compared with
# itself; printed are the medians of the differences and their extremes.
#
#   LOOPS   a regular expression for names of loops, all
#   BUDGET  of copse run, 0: no poll is passed by; 0.001: most are
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
calls=${2:-300000}
compiler=${MPICC:-mpicc}
have mpirun || exit 0
compile mpi-call || exit 1
compile empty-pmpi -shared -fPIC || exit 1
# Who polls gives no core away, where there are enough of them.
[ "$(cores)" -lt 2 ] || export OMPI_MCA_mpi_yield_when_idle=0

# one_round RANKS: a line for each loop and depth.
one_round() {
	mpirun -n "$1" "$scratch/mpi-call" "$calls" >"$scratch/plain" &&
		mpirun -n "$1" env "LD_PRELOAD=$scratch/empty-pmpi" \
			"$scratch/mpi-call" "$calls" >"$scratch/empty" || exit
	rm -rf "$scratch/mpi.copse"
	mpirun -n "$1" "$copse" run --quiet --budget "${BUDGET:-1}" \
		-o "$scratch/mpi.copse" \
		"$scratch/mpi-call" "$calls" >"$scratch/copse" || exit
	paste -d ' ' "$scratch/plain" "$scratch/empty" "$scratch/copse"
}

# keep NAME DEPTH PLAIN _ _ EMPTY _ _ COPSE
keep() {
	grep -qxF "$1 $2" "$scratch/names" || echo "$1 $2" >>"$scratch/names"
	echo "$3" >>"$scratch/$1.$2.plain"
	calculate "$6 - $3" >>"$scratch/$1.$2.floor"
	calculate "$9 - $6" >>"$scratch/$1.$2.copse"
}

# spread FILE: the median of its numbers, the least and the most.
spread() {
	sort -g "$1" | awk '{ v[NR] = $1 } END {
		m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2
		printf "%.1f (%.1f to %.1f)", m, v[1], v[NR] }'
}

machine
: >"$scratch/names"
for ((round = 0; round < rounds; round++)); do
	for ranks in 1 2; do
		one_round $ranks >"$scratch/round" || exit
		while read -r -a words; do
			keep "${words[@]}"
		done < <(grep -E "${LOOPS:-.}" "$scratch/round")
	done
done
echo "# ns per call: median (least to most), $rounds rounds"
format='%-20s %5s  %-24s %-26s %s\n'
# shellcheck disable=SC2059 # one format for the table
printf "$format" loop depth plain 'empty wrapper above plain' \
	'copse above empty wrapper'
while read -r name depth; do
	# shellcheck disable=SC2059
	printf "$format" "$name" "$depth" \
		"$(spread "$scratch/$name.$depth.plain")" \
		"$(spread "$scratch/$name.$depth.floor")" \
		"$(spread "$scratch/$name.$depth.copse")"
done <"$scratch/names"
