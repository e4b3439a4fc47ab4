#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# switches.sh [ROUNDS] - microseconds of CPU time for a context switch in a
# program that does little else: plain, and above that, with each clock and
# with wall, as differences to the plain run of the same round: the median and
# the extremes.
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"

# under CLOCK EVENT: one run.
under() {
	COPSE_CLOCK=$1 "$copse" run --quiet --no-report --force --budget 0 \
		-o "$scratch/switches.copse" -e "$2@1000" "$scratch/switches"
}

compile switches -pthread || exit 1
for ((i = 0; i < rounds; i++)); do
	plain=$("$scratch/switches")
	echo "$plain" >>"$scratch/plain"
	for way in "timer cpu" "mixed cpu" "sigtrap cpu" "sigtrap wall"; do
		# shellcheck disable=SC2086 # two words
		calculate "$(under $way) - $plain" >>"$scratch/${way/ /-}"
	done
done
echo "plain: $(median "$scratch/plain") us"
for way in timer-cpu mixed-cpu sigtrap-cpu sigtrap-wall; do
	echo "$way: + $(median "$scratch/$way") us"
done
