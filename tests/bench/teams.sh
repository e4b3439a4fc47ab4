#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# teams.sh [ROUNDS] - nanoseconds of constructs of OpenMP, after EPCC's suite,
# with one, two and more threads: plain, and above that with copse and with
# copse run --openmp=off, of runs one after the other in each round: the median
# and the extremes.  Threads spin, as they do by default.
#
#   THREADS    default: 1, 2, and all cores
#   COMPILERS  default: gcc clang, whose runtimes are libgomp and libomp
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"

copse_run() {
	"$copse" run --quiet --no-report --force -o "$scratch/teams.copse" "$@" \
		"$scratch/teams"
}

# keep WAY: the lines of a run, each to a file of its own.
keep() {
	while read -r name ns; do
		echo "$ns" >>"$scratch/$threads-$name-$1"
	done
}

constructs() {
	local threads=$1 i name

	export OMP_NUM_THREADS=$threads
	rm -f "$scratch/$threads"-*
	for ((i = 0; i < rounds; i++)); do
		"$scratch/teams" | keep plain
		copse_run --openmp=on | keep on
		copse_run --openmp=off | keep off
	done
	for name in parallel parallel-for barrier for single critical task; do
		paste "$scratch/$threads-$name-plain" "$scratch/$threads-$name-on" |
			awk '{ print $2 - $1 }' >"$scratch/on"
		paste "$scratch/$threads-$name-plain" "$scratch/$threads-$name-off" |
			awk '{ print $2 - $1 }' >"$scratch/off"
		echo "$compiler, $name, $threads threads:" \
			"plain $(median "$scratch/$threads-$name-plain") ns," \
			"with copse + $(median "$scratch/on")," \
			"--openmp=off + $(median "$scratch/off")"
	done
}

for compiler in ${COMPILERS:-gcc clang}; do
	compile teams -fopenmp || continue
	for threads in ${THREADS:-$(printf '%s\n' 1 2 "$(cores)" | sort -nu)}; do
		constructs "$threads"
	done
done
