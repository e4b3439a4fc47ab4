#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# crowds.sh - many threads that come to the collector for the first time at
# once, on few cores, do not wait for each other there: nobody who has lost the
# core holds up the rest.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99

# built COMPILER
built() {
	need "$1"
	"$1" -O1 -g -fopenmp -o crowd "$srcdir/tests/programs/crowd.c" -lm \
		-ldl -pthread 2>built.err || skip "$1 has no OpenMP here"
}

# tried FILE COMMAND…: its output.  clang's runtime crashes in one of twenty
# programs with nested regions, without copse as well (LLVM 14).
tried() {
	file=$1
	shift
	for _ in $tries; do
		"$@" >"$file" && return
	done
	return 1
}

# With locks that spin a thousand threads took up to 17 s of CPU time for 0.04 s.
# is_quick COMPILER WHAT THREADS [COMMAND…]
is_quick() {
	built "$1"
	what=$2 threads=$3
	tries=1
	[ "$1 $2" != "clang nested" ] || tries='1 2 3 4 5'
	shift 3
	tried plain "$@" ./crowd "$what" "$threads" ||
		skip "no $threads threads here"
	for turn in 1 2 3; do
		tried out "$@" "$copse" run -q --locks=on --no-report --force \
			-o crowd.copse ./crowd "$what" "$threads" || return
		echo "$turn: plain: $(cat plain), with copse: $(cat out)"
		[ "$(cut -d ' ' -f 1 plain)" = "$(cut -d ' ' -f 1 out)" ] ||
			return
	done
	awk 'NR == FNR { plain = $2 } END { exit !($2 < 10 * plain + 1) }' \
		plain out
}

# Each of them has a record, none is lost.
is_complete() {
	built "${CC:-cc}"
	rm -rf crowd.copse
	"$copse" run -q -o crowd.copse ./crowd region 1000 >out || return
	"$copse" report measurement crowd.copse
	"$copse" report threads crowd.copse -n 0 -f csv >threads.csv || return
	cat threads.csv
	awk -v columns='region threads' -f "$srcdir/tests/lib/csv.awk" \
		threads.csv | awk '/crowd.c/ && $NF == 1000 { n++ }
			END { exit n != 1 }'
}

# Most of them have no sample.
are_counted() {
	built "${CC:-cc}"
	"$copse" run -q --force -o crowd.copse ./crowd lock 500 >out || return
	"$copse" report crowd.copse | tee summary
	grep -q '^1 process × 501 threads' summary
}

# Most of what measuring such threads costs is to start and end them.
cost_is_told() {
	[ -d crowd.copse ] || skip "there was no run"
	"$copse" report measurement crowd.copse | tee said
	grep -q '^Measuring cost .* of it to start and end threads' said || return
	"$copse" report measurement crowd.copse -f csv --table processes |
		awk -v columns='cpu handler threads cost' \
			-f "$srcdir/tests/lib/csv.awk" |
		tee cost | awk '{ exit !($3 > 500 * 1e-6 && $3 < $1 + 500) }'
}

for cc in gcc clang; do
	for what in region nested; do
		point "$cc, $what" is_quick $cc $what 1000
	done
done
point "a region on one core" is_quick gcc region 1000 taskset -c 0
for what in lock phases work; do
	point "threads, $what" is_quick gcc $what 1000
done
point "each member is told" is_complete
point "each thread is counted" are_counted
point "what starting and ending them cost is told" cost_is_told
points_done
