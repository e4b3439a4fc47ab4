#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# gate.sh [EQUAL [SLOWER]] - how often `copse gate` is right: EQUAL comparisons
# of equal runs (100), and SLOWER in which one path of tests/programs/steady
# takes 5 % more CPU time (20).  All runs of all comparisons are runs of their
# own; the sides take turns.
#
#   equal    comparisons, and how many failed
#   slower   comparisons, and how many failed naming that path first
#   change   of that path in per cent: least, median and largest (5 is true)
#
#   RUNS     on each side, 7
#   SECONDS_EACH  of CPU time of a run, 0.4
#   FREQ     samples per second, 10000
#   SLOW     per cent, 5
#   RULE     path(*)>2.5%
#   VERBOSE  shows reports that are not right
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
equal=${1:-100}
slower=${2:-20}
runs=${RUNS:-7}
each=${SECONDS_EACH:-0.4}
freq=${FREQ:-10000}
slow=${SLOW:-5}
rule=${RULE:-path(*)>2.5%}
[ -x "$programs/steady" ] || { echo "# steady was not built"; exit 1; }
cd "$scratch" || exit 1

# measure DIRECTORY [PATH PERCENT]
measure() {
	local to=$1

	shift
	"$copse" run --quiet --freq "$freq" --budget 50 -o "$to" \
		"$programs/steady" "$each" "$@" >/dev/null
}

# compare [PATH PERCENT]: the report in `said`; the gate's status.
compare() {
	local status=0

	rm -rf ./*.copse
	for i in $(seq "$runs"); do
		measure "base-$i.copse" || return 2
		measure "new-$i.copse" "$@" || return 2
	done
	"$copse" gate --fail-if "$rule" base-*.copse vs new-*.copse \
		-f csv --table tests >tests.csv || status=$?
	"$copse" gate --fail-if "$rule" base-*.copse vs new-*.copse >said
	return $status
}

show() {
	[ -z "${VERBOSE-}" ] || sed 's/^/# /' said
}

failed=0
for _ in $(seq "$equal"); do
	compare && continue
	failed=$((failed + 1))
	show
done
echo "equal $equal failed $failed"

paths=(solve exchange output)
declare -A named=([solve]='work ← solve ← main'
	[exchange]='work ← exchange ← main' [output]='output ← main')
found=0
: >changes
for i in $(seq "$slower"); do
	path=${paths[$((i % 3))]}
	compare "$path" "$slow"
	if [ $? = 1 ] && [ "$(grep -c '^! cpu.time of' said)" = 1 ] &&
		grep -q "^! cpu.time of ${named[$path]}:" said; then
		found=$((found + 1))
	else
		show
	fi
	# The columns before subject have no commas: rule, metric.
	grep ",${named[$path]}," tests.csv | cut -d, -f8 >>changes
done
echo "slower $slower found $found"
sort -g changes | awk '{ v[NR] = 100 * $1 }
	END { if (NR) printf "change %.2f %.2f %.2f\n", v[1],
		v[int((NR + 1) / 2)], v[NR] }'
[ "$failed" = 0 ] && [ "$found" = "$slower" ]
