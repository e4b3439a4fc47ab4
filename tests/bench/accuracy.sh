#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# accuracy.sh [SECONDS] - the shares that the programs with known answers
# print, and those that copse finds (inclusive, by function), in per cent; next
# to them what perf finds, when it is installed.
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
seconds=${1:-10}

# NAME<tab>SECONDS of copse, of inclusive time.
by_copse() {
	"$copse" report hotspots "$scratch/run.copse" -n 0 -f csv |
		awk -v columns='function inclusive' -f "$srcdir/tests/csv.awk"
}

# The same of perf: children are included.
by_perf() {
	perf report -q --children --no-call-graph -F overhead_children,sym \
		-t '	' -i "$scratch/perf.data" 2>/dev/null |
		awk -F '\t' '{ sub(/%/, "", $1); sub(/^ *\[.\] /, "", $2)
			sub(/ *$/, "", $2); print $2 "\t" $1 + 0 }'
}

# compare WHO FILE: with the truths.
compare() {
	awk -F '\t' -v who="$1" '
		NR == FNR {
			split($0, word, " ")
			truth[word[2]] = word[3]
			sum += word[3]
			next
		}
		{
			sub(/\(.*/, "", $1)
			if ($1 in truth) {
				found[$1] += $2
				all += $2
			}
		}
		END {
			for (name in truth) {
				t = truth[name] * 100 / sum
				f = all ? found[name] * 100 / all : 0
				d = f > t ? f - t : t - f
				if (d > worst)
					worst = d
				printf "%-6s %-12s truth %6.2f %%  found %6.2f %%\n",
					who, name, t, f
			}
			printf "%-6s worst: %.2f points\n", who, worst
		}' "$scratch/truth" "$2"
}

one() {
	echo "== $*"
	rm -rf "$scratch/run.copse"
	"$copse" run --quiet -o "$scratch/run.copse" "$@" >"$scratch/out"
	grep ^truth "$scratch/out" >"$scratch/truth"
	by_copse >"$scratch/found"
	compare copse "$scratch/found"
	command -v perf >/dev/null || return
	perf record -q -F 999 -g -o "$scratch/perf.data" "$@" >"$scratch/out" \
		2>/dev/null
	grep ^truth "$scratch/out" >"$scratch/truth"
	by_perf >"$scratch/found"
	compare perf "$scratch/found"
}

machine
one "$programs/shares" "$seconds"
one "$programs/kernel-time" "$seconds" 0.05
one "$programs/kernel-time" "$seconds" 3
one "$programs/kernel-time" "$seconds" 30
