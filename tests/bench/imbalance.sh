#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# imbalance.sh [RUNS] - is the uneven region found, and the thread that was late
# in it?  One of two threads has 1 to 50 % more to do; the truth is what the
# program measured itself, since others on the cores make threads late, too.
# Of RUNS runs (default 20) for each imbalance it says how many name region and
# thread as they were injected, how many as they were, and how many have the
# seconds that others waited within 5 %.
#
#   COMPILERS  default: gcc clang, whose runtimes are libgomp and libomp
#   PERCENTS   default: 1 2 5 20 50
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
runs=${1:-20}
uneven=$srcdir/tests/programs/uneven.c
line=$(grep -n 'num_threads(2) reduction' "$uneven" | cut -d : -f 1)
export OMP_WAIT_POLICY=passive

truth() { # NAME
	awk -v name="$1" '$2 == name { print $3 }' "$scratch/out"
}

# named LATE0 LATE1: whom the others waited for.
named() {
	awk -v a="$1" -v b="$2" 'BEGIN {
		share = a + b > 0 ? a / (a + b) : 0.5
		if (share >= 0.65)
			print "thread 0"
		else if (share <= 0.35)
			print "other threads"
		else
			print "different threads"
	}'
}

# once LATE MORE: adds to $injected, $right and $seconds.
once() {
	local is late who

	"$copse" run --quiet --no-report --force -e cpu@1000 \
		-o "$scratch/uneven.copse" "$scratch/uneven" "$1" "$2" \
		>"$scratch/out" || return
	is=$("$copse" report threads -f csv "$scratch/uneven.copse" |
		awk -v columns='region late waited_for' \
			-f "$srcdir/tests/lib/csv.awk" |
		grep "uneven.c:$line]")
	late=$(echo "$is" | cut -f 2)
	who=$(named "$(truth late-0)" "$(truth late-1)")
	[[ $is == *"$([ "$1" = 0 ] && echo 'thread 0' || echo 'other threads')" ]] &&
		injected=$((injected + 1))
	[[ $is == *"$who" ]] && right=$((right + 1))
	near "$late" "$(calculate "$(truth late-0) + $(truth late-1)")" \
		"$(calculate "0.05 * ($(truth late-0) + $(truth late-1))")" \
		>/dev/null && seconds=$((seconds + 1))
}

for compiler in ${COMPILERS:-gcc clang}; do
	suffix=c source=../programs/uneven compile uneven -fopenmp \
		-I"$srcdir/tests/programs" || continue
	for percent in ${PERCENTS:-1 2 5 20 50}; do
		injected=0 right=0 seconds=0
		for ((i = 0; i < runs; i++)); do
			once $((i % 2)) "$(calculate "1 + $percent / 100")"
		done
		echo "$compiler, $percent % more: of $runs runs $injected name" \
			"region and thread as injected, $right as measured by" \
			"the program, $seconds the seconds within 5 %"
	done
done
