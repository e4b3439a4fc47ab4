#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# fork.sh [ROUNDS] - what a fork costs: microseconds of CPU time of a child, the
# parent's part included, and page faults in it; children of 0 and 600 us, of a
# small and a large parent, with all that is preloaded by default and with --mpi
# and --openmp off.  With and without copse alternate, and each pair is compared.
# Beside it the floor: a preloaded library that does nothing, and one that opens
# a clock in the parent and in each child, as sampling must (fork-floor.c).
# BUSY=N: beside so many processes that compute.
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
children=500

# floor NAME VARIABLE…: of the child of one().
floor() {
	local floor _

	read -r floor _ <<<"$(env "${@:2}" LD_PRELOAD="$scratch/fork-floor" \
		"$scratch/fork" $children "$us" "$mib")"
	calculate "$floor - $plain" >>"$scratch/$name.$1"
}

# one NAME US MIB OPTION…
one() {
	local name=$1 us=$2 mib=$3 plain plain_faults more faults

	shift 3
	read -r plain plain_faults <<<"$("$scratch/fork" $children "$us" "$mib")"
	floor library
	floor clocks FLOOR_CLOCKS=1
	rm -rf "$scratch/fork.copse"
	read -r more faults <<<"$("$copse" run -q --no-report "$@" \
		-o "$scratch/fork.copse" "$scratch/fork" $children "$us" "$mib")"
	echo "$plain" >>"$scratch/$name.plain"
	calculate "$more - $plain" >>"$scratch/$name.more"
	calculate "$faults - $plain_faults" >>"$scratch/$name.faults"
}

machine
compile fork && compile fork-floor -shared -fPIC || exit 1
for ((i = 0; i < ${BUSY:-0}; i++)); do
	(while :; do :; done) &
	others="$others $!"
done
# shellcheck disable=SC2064,SC2086 # the ones of now; a list
[ -z "$others" ] || trap "kill $others; rm -rf '$scratch'" EXIT
for ((round = 0; round < rounds; round++)); do
	for us in 0 600; do
		for mib in 0 20; do
			one "$us us of $mib MiB" $us $mib
			one "$us us of $mib MiB, alone" $us $mib --mpi=off \
				--openmp=off
		done
	done
done
row='%-24s %-34s %-32s %-32s %-34s %-30s %s\n'
# shellcheck disable=SC2059 # the same row for all
printf "$row" us plain "a library - plain" "clocks, too - plain" \
	"copse - plain" "mean ± 95 %" "page faults more"
for us in 0 600; do
	for mib in 0 20; do
		for name in "$us us of $mib MiB" "$us us of $mib MiB, alone"; do
			# shellcheck disable=SC2059
			printf "$row" "$name" "$(median "$scratch/$name.plain")" \
				"$(median "$scratch/$name.library")" \
				"$(median "$scratch/$name.clocks")" \
				"$(median "$scratch/$name.more")" \
				"$(confidence "$scratch/$name.more")" \
				"$(median "$scratch/$name.faults")"
		done
	done
done
