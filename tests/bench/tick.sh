#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# tick.sh [ROUNDS] - nanoseconds that a tick's handler takes above an empty one.
# Signals are made one at a time (tick.c) and each is measured by itself, so that
# a machine that is shared disturbs little; what the sampling clock costs is not
# in it.  Each round compares with the empty handler of the same round; the mean
# of the differences is printed with its 95 % interval, and their median.
#
# Ticks are warm, cold or new as in sample.sh, by the depth of the call path; and
# warm, at depth 20, by how much memory the program uses between two: 0
# finds the caches as the tick before left them, more than the caches hold finds
# nothing.
#
#   DEPTHS  "5 20 50 200"
#   KIB     kibibytes of memory, "1024 4096"
#   TICKS   of each run, 2000
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
ticks=${TICKS:-2000}

machine
compile tick || exit 1
compile_handler empty || exit 1

# cases: NAME KIB DEPTH PATHS PLACES
cases() {
	local depth kib

	for depth in ${DEPTHS-5 20 50 200}; do
		echo "warm 0 $depth 1 200"
		echo "cold 0 $depth 64 8"
		[ "$depth" -gt 50 ] || echo "new 0 $depth 0 8"
	done
	for kib in ${KIB-1024 4096}; do
		echo "warm $kib 20 1 200"
	done
}

# one NAME KIB DEPTH PATHS PLACES
one() {
	local at="$scratch/$1.$2.$3" empty ours

	shift
	empty=$(HANDLER_HZ=1 LD_PRELOAD=$scratch/empty-handler \
		"$scratch/tick" "$ticks" "$@")
	rm -rf "$scratch/tick.copse"
	ours=$("$copse" run --quiet --freq 1 --budget 0 --depth 256 \
		-o "$scratch/tick.copse" "$scratch/tick" "$ticks" "$@")
	echo "$empty" >>"$at.empty"
	calculate "$ours - $empty" >>"$at.above"
}

for ((round = 0; round < rounds; round++)); do
	while read -r case; do
		# shellcheck disable=SC2086 # a list of words
		one $case
	done < <(cases)
done
row='%-6s %-5s %-6s %-28s %-26s %s\n'
# shellcheck disable=SC2059 # the same row for all
printf "$row" depth path KiB "ns of the empty handler" "copse above it" median
while read -r name kib depth _; do
	at=$scratch/$name.$kib.$depth
	# shellcheck disable=SC2059
	printf "$row" "$depth" "$name" "$kib" "$(median "$at.empty")" \
		"$(confidence "$at.above")" "$(median "$at.above")"
done < <(cases)
