#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# teams.sh [ROUNDS] - nanoseconds of constructs of OpenMP, after EPCC's suite,
# with one, two and more threads: plain, and above that the floor (what anybody
# pays who stands in front of the runtime: teams-floor.c), with copse and with
# copse run --openmp=off, of runs one after the other in each round: the median
# and the extremes.  Threads spin, as they do by default.  held-N is a critical
# section of N ns that all threads want all the time, each time that one has it.
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

# more WAY: of the rounds' pairs.
more() {
	paste "$scratch/$threads-$name-plain" "$scratch/$threads-$name-$1" |
		awk '{ print $2 - $1 }' >"$scratch/more"
	median "$scratch/more"
}

constructs() {
	local threads=$1 i name

	export OMP_NUM_THREADS=$threads
	rm -f "$scratch/$threads"-*
	for ((i = 0; i < rounds; i++)); do
		"$scratch/teams" | keep plain
		LD_PRELOAD=$scratch/teams-floor "$scratch/teams" | keep floor
		copse_run --openmp=on | keep on
		copse_run --openmp=off | keep off
	done
	for name in parallel parallel-paths parallel-for barrier for single \
		critical task held-200 held-1000 held-5000; do
		echo "$compiler, $name, $threads threads:" \
			"plain $(median "$scratch/$threads-$name-plain") ns," \
			"floor + $(more floor), with copse + $(more on)," \
			"--openmp=off + $(more off)"
	done
}

for compiler in ${COMPILERS:-gcc clang}; do
	compile teams -fopenmp &&
		compile teams-floor -shared -fPIC -ldl "-I$srcdir" \
			"-I$srcdir/src" || continue
	for threads in ${THREADS:-$(printf '%s\n' 1 2 "$(cores)" | sort -nu)}; do
		constructs "$threads"
	done
done
