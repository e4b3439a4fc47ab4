#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# heap.sh [ROUNDS] - nanoseconds of CPU time of a pair of malloc and free, one
# block at a time and 1,000 live: plain, below a library that only passes calls
# on (the floor), and with copse run --heap=on and off, of runs one after the other in
# each round; the medians of what they take more than the plain run beside them.
# The last lines are of a program that makes some ten million pairs a second.
#
# Then accuracy: of ROUNDS times 10 runs of heap-patterns, how many sums of paths
# are within three sigma, how far the mean is off, and how often the path that
# held most comes first.
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"

keep() {
	while read -r name ns; do
		echo "$ns" >>"$scratch/$2-$name-$1"
	done
}

with_copse() {
	"$copse" run --quiet --no-report --force --budget 1 "$1" -o "$scratch/h.copse" \
		"${@:2}"
}

# pairs WORD ARGUMENT…
pairs() {
	local i word=$1 name way

	shift
	for ((i = 0; i < rounds; i++)); do
		"$scratch/heap" "$@" | keep plain "$word"
		LD_PRELOAD=$scratch/heap-floor.so "$scratch/heap" "$@" |
			keep floor "$word"
		with_copse --heap=off "$scratch/heap" "$@" | keep off "$word"
		with_copse --heap=on "$scratch/heap" "$@" | keep on "$word"
	done
	for name in one many; do
		[ -e "$scratch/$word-$name-plain" ] || continue
		echo -n "$word, $name: plain $(median "$scratch/$word-$name-plain") ns"
		for way in floor off on; do
			paste "$scratch/$word-$name-plain" \
				"$scratch/$word-$name-$way" |
				awk '{ print $2 - $1 }' >"$scratch/more"
			echo -n ", $way + $(median "$scratch/more")"
		done
		echo
	done
}

accuracy() {
	local i

	for ((i = 0; i < rounds * 10; i++)); do
		with_copse --heap=on "$programs/heap-patterns" 0.5 $((i + 1)) \
			>"$scratch/truth" || return
		"$copse" report memory -n 0 -f csv --table allocations \
			"$scratch/h.copse" >"$scratch/rows" || return
		awk -F '[ ,]' '
			NR == FNR { if (NF == 6) truth[$2] = $3; next }
			FNR == 1 { n = split($0, t, ","); for (k = 1; k <= n; k++) at[t[k]] = k; next }
			$1 in truth {
				split($0, c, ",")
				print $1, c[at["allocated"]], truth[$1],
					c[at["allocated_margin"]] / 1.96, FNR == 2
			}' "$scratch/truth" "$scratch/rows"
	done >"$scratch/sums"
	awk '{ n++; off = $2 - $3; off = off < 0 ? -off : off
			within += off <= 3 * $4 + 1
			ratio[$1] += $2 / $3; count[$1]++
			first += $1 == "large_blocks" && $5 }
		END {
			print n, "sums,", within, "within three sigma"
			for (name in ratio)
				printf "%s: mean of %d runs off by %.2f %%\n", name,
					count[name], 100 * (ratio[name] / count[name] - 1)
			print "the path of the peak first:", first, "of", count["large_blocks"]
		}' "$scratch/sums"
}

compile heap && source=heap-floor compile heap-floor.so -shared -fPIC -ldl &&
	pairs "64 bytes" 64 && pairs "1 KiB" 1024 && pairs "64 bytes, busy" 64 20
accuracy
