#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# locks.sh [ROUNDS] - nanoseconds of taking a free lock and giving it back:
# plain, and above that with copse run --locks=on, of runs one after the other
# in each round: the median.  Then, of ROUNDS times 12 patterns of contended
# locks, how many holders come first and how many seconds are within 5 %: held
# for 4 ms, and for 20 us again and again by who wants them 20,000 times.
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"

keep() {
	while read -r name ns; do
		echo "$ns" >>"$scratch/$name-$1"
	done
}

free_locks() {
	local i name

	for ((i = 0; i < rounds; i++)); do
		"$scratch/locks" | keep plain
		"$copse" run --quiet --no-report --force --locks=on \
			-o "$scratch/locks.copse" "$scratch/locks" | keep on
	done
	for name in mutex rwlock-read rwlock-write spin-lock semaphore; do
		paste "$scratch/$name-plain" "$scratch/$name-on" |
			awk '{ print $2 - $1 }' >"$scratch/more"
		echo "$name: plain $(median "$scratch/$name-plain") ns," \
			"with copse + $(median "$scratch/more")"
	done
}

# patterns LEAST WORD…: with these arguments of the program, of those that waited
# LEAST times or more for the holder.
patterns() {
	local i least=$1

	shift

	for ((i = 0; i < rounds; i++)); do
		"$copse" run --quiet --no-report --force --locks=on \
			-o "$scratch/p.copse" "$scratch/lock-patterns" "$@" \
			>"$scratch/truth" || return
		"$copse" report threads -n 0 -f csv --table locks \
			"$scratch/p.copse" >"$scratch/rows" || return
		awk -F '[ ,]' -v least="$least" '
			NR == FNR { if ($1 == "truth") truth[$2] = $3; next }
			{
				for (n in truth)
					if (index($0, "want_" n " "))
						row[n] = $0
			}
			END {
				for (n in truth) {
					split(row[n], c, ",")
					if (c[2] < least)
						continue
					# Its holder waits, too; shared has two paths.
					if (least > 1 && n != "shared")
						c[3] *= c[6]
					off = c[3] / truth[n] - 1
					holder = index(c[8], "hold_" n) > 0
					right = off < 0.05 && off > -0.05
					print holder, right
				}
			}' "$scratch/truth" "$scratch/rows"
	done | awk -v said="$*" '{ n++; holder += $1; right += $2 }
		END { print "patterns", said ":", holder, "of", n, "holders first,",
			right, "of", n, "seconds within 5 %" }'
}

compile locks -pthread && free_locks
# Long waits, and brief ones, of which one in 16 or 64 is recorded in full.
cp "$programs/lock-patterns" "$scratch/" && patterns 1 && patterns 1000 20000 20
