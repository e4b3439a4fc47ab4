#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# crowd.sh [ROUNDS] - many threads on few cores, plain, and above that the floor
# (an event of the kernel for each thread: thread-floor.c), with copse, and with
# the command of BEFORE, of runs one after the other in each round: medians and
# extremes.
#
#   start   ns of CPU time to create and join one thread, beside 0, 64 and 4,000
#           that sleep
#   crowd   seconds, CPU and elapsed, of a program whose threads all start at
#           once: as one parallel region, in phases, or with work of their own
#
#   THREADS  "1 10 100 1000 10000"
#   CORES    default: 1, 2, and all
#   WHAT     "region phases work"
#   LIVING   "0 64 4000"
#   BEFORE   another build's command, to be compared
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
unset COPSE_BUDGET

run() {
	"$@" run --quiet --no-report --force -o "$scratch/crowd.copse" \
		"${program[@]}"
}

# in_way WAY: the program's output.
in_way() {
	case $1 in
	plain)	"${program[@]}" ;;
	floor)	LD_PRELOAD=$scratch/thread-floor "${program[@]}" ;;
	copse)	run "$copse" ;;
	off)	COPSE_OPENMP=off run "$copse" ;;
	before)	run "$BEFORE" ;;
	esac 2>>"$scratch/err"
}

# more WAY FILE: the median of the rounds' differences.
more() {
	paste "$scratch/plain.$2" "$scratch/$1.$2" |
		awk '{ print $2 - $1 }' >"$scratch/more"
	median "$scratch/more"
}

# show NAME FILE WAY…
show() {
	local name=$1 of=$2 way

	echo "$name: plain $(median "$scratch/plain.$of")"
	shift 2
	for way; do
		echo "    $way + $(more "$way" "$of")"
	done
}

# start LIVING
start() {
	local program=("$scratch/thread-start" "$1" 1000) i way
	local ways=(floor copse ${BEFORE:+before})

	rm -f "$scratch"/*.cpu
	for ((i = 0; i < rounds; i++)); do
		for way in plain "${ways[@]}"; do
			in_way "$way" | cut -d ' ' -f 1 >>"$scratch/$way.cpu"
		done
	done
	show "create and join, $1 living, ns of CPU" cpu "${ways[@]}"
}

# crowd CORES WHAT THREADS
crowd() {
	local program=(taskset -c "0-$(($1 - 1))" "$scratch/crowd" "$2" "$3")
	local ways=(floor copse ${BEFORE:+before}) way i wall

	[ "$2" != region ] || ways+=(off)
	rm -f "$scratch"/*.cpu "$scratch"/*.wall
	for ((i = 0; i < rounds; i++)); do
		for way in plain "${ways[@]}"; do
			cpu_and_wall in_way "$way"
			cut -d ' ' -f 2 "$scratch/out" >>"$scratch/$way.cpu"
			echo "$wall" >>"$scratch/$way.wall"
		done
	done
	show "$2, $3 threads, $1 cores, s of CPU" cpu "${ways[@]}"
	show "$2, $3 threads, $1 cores, s elapsed" wall "${ways[@]}"
}

machine
compile thread-start -pthread || exit 1
compile thread-floor -shared -fPIC -ldl || exit 1
source=../programs/crowd compile crowd -fopenmp -lm -ldl -pthread || exit 1
for living in ${LIVING-0 64 4000}; do
	start "$living"
done
for cores in ${CORES-$(printf '%s\n' 1 2 "$(cores)" | sort -nu)}; do
	for what in ${WHAT-region phases work}; do
		for threads in ${THREADS-1 10 100 1000 10000}; do
			crowd "$cores" "$what" "$threads"
		done
	done
done
