#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# switches.sh [ROUNDS] - microseconds of CPU time for a context switch in
# programs that do little else, two threads that pass a byte to and fro and two
# processes that yield: plain, and above that, with copse as it is by default,
# with each clock kept whatever it costs, with wall, and with perf, as
# differences to the plain run of the same round: the median and the extremes.
# The floor of each clock is its own: what the kernel takes to stop and set it.
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"

times=400000

# copse_run CLOCK OPTION…: one run.
copse_run() {
	local clock=$1

	shift
	COPSE_CLOCK=$clock "$copse" run --quiet --no-report --force \
		-o "$scratch/switches.copse" "$@" \
		"$scratch/switches" "$times" "$kind"
}

under() {
	case $1 in
	default) copse_run '' ;;
	wall)	copse_run sigtrap --budget 0 -e wall@1000 ;;
	perf)	perf record -q -F 1000 -g -o "$scratch/perf.data" \
			"$scratch/switches" "$times" "$kind" 2>/dev/null ;;
	*)	copse_run "$1" --budget 0 ;;
	esac
}

compile switches -pthread || exit 1
ways='default timer mixed sigtrap wall'
! command -v perf >/dev/null || ways="$ways perf"
for kind in threads processes; do
	for ((i = 0; i < rounds; i++)); do
		plain=$("$scratch/switches" "$times" "$kind")
		echo "$plain" >>"$scratch/$kind-plain"
		for way in $ways; do
			calculate "$(under "$way") - $plain" \
				>>"$scratch/$kind-$way"
		done
	done
	echo "$kind, plain: $(median "$scratch/$kind-plain") us"
	for way in $ways; do
		echo "$kind, $way: + $(median "$scratch/$kind-$way") us"
	done
done
