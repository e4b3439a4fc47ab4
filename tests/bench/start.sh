#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# start.sh [ROUNDS] - what it costs to start, in milliseconds; with and without
# copse alternate, and each pair is compared.
#
#   true    a program that does nothing: elapsed and CPU time of all that copse
#           does for it, its parent's work and its report included
#   beside  elapsed time until main() of a program that is started with the
#           collector by hand, and what copse run takes on top
#   before  CPU time of the program's own process until main(): the collector
#           is loaded, and set up
#   first   from there to the end of 10 ms of work: the first sample (memory is
#           set aside, code is met for the first time) and nine others
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
runs=20 # of /bin/true, for one figure

# times_true COMMAND…: milliseconds of one run, elapsed and CPU, in $each.
times_true() {
	local TIMEFORMAT='%R %U %S' i

	each=$({ time for ((i = 0; i < runs; i++)); do
		rm -rf "$scratch/true.copse"
		"$@" /bin/true >"$scratch/out" 2>&1
	done; } 2>&1 | awk -v n=$runs '{
		print $1 * 1000 / n, ($2 + $3) * 1000 / n }')
}

# keep NAME WITHOUT WITH
keep() {
	echo "$2" >>"$scratch/$1.plain"
	calculate "$3 - $2" >>"$scratch/$1.more"
}

# started COMMAND…: milliseconds until its main().
started() {
	START=$EPOCHREALTIME "$@" | cut -d ' ' -f 3
}

# The same environment, but nobody beside it.
by_hand() (
	# shellcheck source=/dev/null
	. "$scratch/environment"
	export COPSE_LIVE="$scratch/live"
	started "$scratch/start"
)

one() {
	local plain_elapsed plain_cpu elapsed cpu
	local plain_before plain_end before end

	times_true
	read -r plain_elapsed plain_cpu <<<"$each"
	times_true "$copse" run --quiet -o "$scratch/true.copse"
	read -r elapsed cpu <<<"$each"
	keep "true, elapsed" "$plain_elapsed" "$elapsed"
	keep "true, cpu" "$plain_cpu" "$cpu"
	rm -rf "$scratch/start.copse"
	keep "beside" "$(by_hand)" \
		"$(started "$copse" run --quiet -o "$scratch/start.copse" \
			"$scratch/start")"
	rm -rf "$scratch/start.copse" "$scratch/live"/*
	read -r plain_before plain_end _ < <("$scratch/start")
	read -r before end _ < <("$copse" run --quiet -o "$scratch/start.copse" \
		"$scratch/start")
	keep "before main()" "$plain_before" "$before"
	keep "first samples" "$(calculate "$plain_end - $plain_before")" \
		"$(calculate "$end - $before")"
}

machine
compile start || exit 1
mkdir "$scratch/live"
"$copse" run --quiet -o "$scratch/env.copse" bash -c 'export -p' \
	>"$scratch/environment"
for ((round = 0; round < rounds; round++)); do
	one
done
row='%-14s %-32s %-32s %s\n'
# shellcheck disable=SC2059 # the same row for all
printf "$row" ms plain "copse - plain" "mean ± 95 %"
for name in "true, elapsed" "true, cpu" "beside" "before main()" "first samples"; do
	# shellcheck disable=SC2059
	printf "$row" "$name" "$(median "$scratch/$name.plain")" \
		"$(median "$scratch/$name.more")" \
		"$(confidence "$scratch/$name.more")"
done
