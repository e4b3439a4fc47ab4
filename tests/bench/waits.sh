#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# waits.sh [ROUNDS] - how right the report of waits is: programs in which one
# rank is late (tests/programs/delays: who, on which call path and by how much
# is drawn from a seed), ROUNDS of each pattern, 20 when not given, and as many
# without a delay.  A line for each pattern:
#
#   right     rounds whose first row names the culprit: its rank, and the path
#   seconds   that the report has for this rank, off from what the program
#             measured, in per cent: median and largest
#   drawn     the same, from what was drawn
#   on path   of these seconds, those on the culprit's very path: the least
#   balanced  the largest share of the run time that is blamed on one rank
#             when none is late: median and largest, in per cent
#   own       the same, by the program's own clock: who was late by itself
#
#   PATTERNS  a regular expression, all
#   RANKS     4
#   JOBS      runs at the same time: as many as there are cores for
#   DELAYS    arguments for the program, "iterations=40"
#   VERBOSE   shows the runs that are not right, or more than 10 % off
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
# shellcheck source=tests/lib/delays.sh
. "$srcdir/tests/lib/delays.sh"
rounds=${1:-20}
ranks=${RANKS:-4}
jobs=${JOBS:-$(($(cores) / (ranks + 1)))}
have mpirun || exit 0
[ -x "$programs/delays" ] || { echo "# delays was not built"; exit 0; }
# Runs at the same time are not to be bound to the same cores.
export OMPI_MCA_hwloc_base_binding_policy=none
cd "$scratch" || exit

# one PATTERN ROUND late|balanced SEED: a line in PATTERN.late or PATTERN.balanced.
one() {
	local name=$1.$2.$3 arguments=() balanced=0

	[ "$3" = late ] || balanced=1
	read -r -a arguments <<<"${DELAYS:-iterations=40}"
	delays_judged "$name" "$ranks" "$1" "seed=$4" "balanced=$balanced" \
		"${arguments[@]}" >"$name.said" 2>&1 ||
		{ sed "s/^/# $name: /" "$name.said"; return 1; }
	cat "$name.found" >>"$1.$3"
	[ -z "${VERBOSE-}" ] || show "$name" "$3"
	rm -rf "$name".*
}

# show NAME late|balanced
show() {
	awk -v kind="$2" '{ for (i = 1; i <= NF; i++) {
			split($i, word, "=")
			v[word[1]] = word[2]
		} }
		END { good = kind == "late" ? v["first"] == "yes" && \
				v["error"]^2 <= 100 : v["blamed"] <= 2
			exit !good }' "$1.found" &&
		return
	{ grep ^truth "$1.out"; cat "$1.found"; head -n 6 "$1.csv"; } |
		sed 's/^/# /'
}

# middle KEY FILE: median and largest of its values.
middle() {
	while read -r line; do
		echo "$line" | tr ' ' '\n' | sed -n "s/^$1=-*//p"
	done <"$2" | sort -g | awk '{ v[NR] = $1 } END {
		m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2
		if (NR)
			printf "%.1f (%.1f)", m, v[NR]
		else
			printf "-" }'
}

# The least share of the seconds found that is on the path.
least_there() {
	awk '{ for (i = 1; i <= NF; i++) {
			split($i, word, "=")
			v[word[1]] = word[2]
		}
		share = v["found"] > 0 ? 100 * v["there"] / v["found"] : 0
		least = NR == 1 || share < least ? share : least }
		END { printf "%.0f", least }' "$1"
}

row() {
	touch "$1.late" "$1.balanced"
	printf '%-14s %7s %14s %14s %8s %14s %14s\n' "$1" \
		"$(grep -c first=yes "$1.late")/$(wc -l <"$1.late")" \
		"$(middle error "$1.late")" "$(middle drawn "$1.late")" \
		"$(least_there "$1.late")" "$(middle blamed "$1.balanced")" \
		"$(middle own "$1.balanced")"
}

machine
[ "$jobs" -gt 0 ] || jobs=1
echo "# $rounds rounds, $ranks ranks, $jobs at the same time"
printf '%-14s %7s %14s %14s %8s %14s %14s\n' pattern right seconds drawn \
	'on path' balanced own
for pattern in $delay_patterns; do
	echo "$pattern" | grep -qE "${PATTERNS:-.}" || continue
	for ((round = 0; round < rounds; round++)); do
		for kind in late balanced; do
			[ "$(jobs -rp | wc -l)" -lt "$jobs" ] || wait -n
			one "$pattern" "$round" $kind \
				$((RANDOM * 32768 + RANDOM)) &
		done
	done
	wait
	row "$pattern"
done
