#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# truth.sh - programs that know the answer: the shares of their functions, and
# the CPU time in all, are found as they say.  The bounds are wide, since few
# samples are taken on a machine that does other things as well; how exact it is
# on a quiet one tests/bench/accuracy.sh measures.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99

points_off=6 # two thousand samples: 2.2 points are within 95 %
total_off=5  # per cent: what ran before the first sample and after the last

# measured RANKS PROGRAM ARGS…: leaves `out`, `found` and `summary`.
measured() {
	ranks=$1
	shift
	rm -rf truth.copse out found summary
	words=
	if [ "$ranks" != - ]; then
		need mpirun
		words="mpirun -n $ranks"
	fi
	# shellcheck disable=SC2086 # a list of words
	$words "$copse" run --quiet -o truth.copse "$@" >out 2>err ||
		{ cat out err; return 1; }
	"$copse" report hotspots truth.copse -n 0 -f csv >csv || return
	awk -v columns='function inclusive inclusive_low inclusive_high' \
		-f "$srcdir/tests/lib/csv.awk" csv >found
	"$copse" report truth.copse -f csv >csv || return
	awk -v columns='cpu_sampled' -f "$srcdir/tests/lib/csv.awk" csv >summary
}

# Shares need a clock that sees the kernel and keeps no step with the scheduler.
exact_clock() {
	"$copse" report measurement truth.copse -f json |
		grep -q 'perf task clock, kernel time included' ||
		skip "no exact clock here: perf_event_paranoid"
}

shares_are_true() {
	measured "$@" || return
	exact_clock
	awk -f "$srcdir/tests/lib/truth.awk" out found >compared
	cat compared
	awk -v most="$points_off" '/^worst/ { n++; bad = $2 > most }
		END { exit n != 1 || bad }' compared
}

total_is_true() {
	[ -s summary ] || skip "there was no run"
	near "$(cat summary)" \
		"$(awk '/^usage/ { s += $2 } END { print s }' out)" \
		"$(awk -v p="$total_off" '/^usage/ { s += $2 }
			END { print s * p / 100 }' out)"
}

# one RANKS PROGRAM ARGS…
one() {
	where=
	[ "$1" = - ] || where=" on $1 ranks"
	program=$2
	ranks=$1
	shift 2
	point "$program $*$where: shares" shares_are_true "$ranks" \
		"$programs/$program" "$@"
	point "$program $*$where: total" total_is_true
}

one - shares 2
one - shares 2 8
one - shares 2 64
one 4 shares 1
one - kernel-calls 2
one 2 kernel-calls 1
one - in-step 2 1
one - in-step 2 50
one - in-step 2 250
one - in-step 2 1000
points_done
