#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# gpu-launch.sh [ROUNDS [LAUNCHES]] - nanoseconds to launch a kernel that does
# nothing, from call depth 15: plain; with CUPTI's records of kernels alone, which
# is the floor of anybody who measures kernels; with a callback that does nothing;
# with unw_backtrace() in it; with copse.  Each round runs all of them one after
# the other and its pairs are compared.  "typical" is the median of batches of 1000
# launches.  The memory is the most of the process.
#
#   DEPTH  15
#   KINDS  of plain activity callback unwind copse, and the parts
#   FLOORS all: what copse asks of CUPTI, part by part, without copse: all calls
#          called back for (calls), records of all kinds (kinds), a clock of
#          ours (clock), a flush each second (flush)
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
# shellcheck source=tests/bench/gpu.sh
. "$(dirname "$0")/gpu.sh"
launches=${2:-1000000}
depth=${DEPTH:-15}

one() {
	local what ns cpu memory typical

	under "$1" "$scratch/gpu-launch" "$launches" "$depth" >"$scratch/out" \
		2>"$scratch/err" || { cat "$scratch/err" >&2; exit 1; }
	read -r what ns cpu memory typical < <(grep '^launch ' "$scratch/out")
	[ "$what" = launch ] || { echo "no figure under $1" >&2; exit 1; }
	recorded "$1" || return
	echo "# round $round, $1: $ns ns, CPU $cpu ns, $memory KiB"
	keep wall "$1" "$ns"
	keep cpu "$1" "$cpu"
	keep memory "$1" "$memory"
	keep typical "$1" "$typical"
}

compile_cuda gpu-launch || exit 0
need_gpu "$scratch/gpu-launch" 1000 || exit 0
compile_floors || exit 1
compile_parts
gpu_machine
echo "# $launches launches, depth $depth, $rounds rounds"
for ((round = 0; round < rounds; round++)); do
	for kind in ${KINDS:-plain $floors $parts copse}; do
		one "$kind"
	done
done
# shellcheck disable=SC2059 # the same row for all
printf "$row" "ns per launch" "median (extremes)" "above plain" "above CUPTI alone"
for what in typical wall cpu memory; do
	for kind in plain $floors $parts copse; do
		[ -s "$scratch/$what.$kind" ] || continue
		# shellcheck disable=SC2059
		printf "$row" "$what $kind" \
			"$(median "$scratch/$what.$kind")" \
			"$(above $what "$kind" plain)" \
			"$(above $what "$kind" activity)"
	done
done
