#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# threads.sh [ROUNDS [SECONDS]] - many threads: samples per second of CPU time
# that come of those asked for, what is lost, how far shares are off at worst,
# and the CPU time that samples hold of the system's count.  SECONDS (20) of CPU
# time are divided among the threads of shares.c.
#
#   THREADS  "64"
#   RATES    "1000 10000"
#   BUDGET   0: any cost, so that nothing lowers the rate
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
seconds=${2:-20}
run=$scratch/run.copse

# one THREADS HZ
one() {
	local word at=$scratch/$1.$2

	rm -rf "$run"
	"$copse" run --quiet --freq "$2" --budget "${BUDGET:-0}" -o "$run" \
		"$programs/shares" "$seconds" "$1" >"$scratch/out"
	report_value rate "$run" >>"$at.rate"
	"$copse" report "$run" -f csv --table losses |
		awk -v columns='name share' -f "$srcdir/tests/lib/csv.awk" \
			>>"$at.losses"
	awk -v is="$(report_value cpu_sampled "$run")" '
		/^usage/ { s += $2 } END { print is * 100 / s }' \
		"$scratch/out" >>"$at.total"
	"$copse" report hotspots "$run" -n 0 -f csv |
		awk -v columns='function inclusive' \
			-f "$srcdir/tests/lib/csv.awk" >"$scratch/found"
	read -r -a word < <(awk -f "$srcdir/tests/lib/truth.awk" "$scratch/out" \
		"$scratch/found" | grep ^worst)
	echo "${word[1]}" >>"$at.error"
}

machine
for ((round = 0; round < rounds; round++)); do
	for threads in ${THREADS:-64}; do
		for hz in ${RATES:-1000 10000}; do
			one "$threads" "$hz"
		done
	done
done
for threads in ${THREADS:-64}; do
	for hz in ${RATES:-1000 10000}; do
		at=$scratch/$threads.$hz
		echo "$threads threads, $hz/s asked for"
		echo "  rate achieved       $(median "$at.rate")"
		echo "  CPU time held, %    $(median "$at.total")"
		echo "  shares off, points  $(median "$at.error")"
		awk -F '\t' -v n="$rounds" '{ sum[$1] += $2 * 100 / n }
			END { for (name in sum)
				printf "  %-18s  %.3f %% on average\n", name, sum[name] }' \
			"$at.losses"
	done
done
