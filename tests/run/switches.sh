#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# switches.sh - a program that switches between threads all the time is given a
# clock that does not slow each of its switches, and what the other one took is
# said.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99

pairs=1 # of threads that switch

# under CLOCK OPTION…: the program, once with these.
under() {
	COPSE_CLOCK=$1
	export COPSE_CLOCK
	shift
	"$copse" run -q -o s.copse --force "$@" "$programs/switches" 1.5 $pairs >s.out ||
		return 1
	cat s.out
	"$copse" report measurement s.copse >s.txt && cat s.txt
	! grep -q 'Measured .* CPU timer: few samples' s.txt ||
		skip 'no task clock here'
}

# of FUNCTION METRIC: its inclusive value.
of() {
	"$copse" report hotspots -n 0 -m "$2" s.copse -f csv |
		awk -F , -v name="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["function"] == name { print $at["inclusive"] }'
}

truth_of() {
	awk -v name="$1" '$2 == name { print $3 }' s.out
}

cost() {
	"$copse" report summary s.copse -f json | sed -n \
		's/.*"self_cost": *\([0-9.e-]*\).*/\1/p'
}

times_hold() {
	for name in asks answers computes; do
		near "$(of "$name" cpu.time)" "$(truth_of "$name")" 0.12 ||
			return 1
	done
}

# That the clock of before comes back is seen by its rate: 250 or so, or 1000.
# Others that take the core away are switches, too: it comes back after half a
# second, or one, without many.
gives_way() {
	under "$1" --budget 4 &&
		grep -q 'this clock would have exceeded' s.txt && times_hold &&
		awk -v n="$(of computes samples)" -v calm="$(truth_of calm)" \
			-v s="$(truth_of computes)" 'BEGIN {
			print n / s, "a second, calm for", calm
			exit !(n / s > 350 || calm < 1.5) }'
}

costs_less() {
	awk -v all="$1" -v some="$(cost)" \
		'BEGIN { print some, all; exit !(some * 2 < all) }'
}

is_said() {
	under sigtrap --budget 0 &&
		! grep 'this clock would have exceeded' s.txt &&
		grep -q 'to set the clock at [0-9]* switches' s.txt || return 1
	all=$(cost)
	under sigtrap --budget 1 && costs_less "$all"
}

# Each of 100 threads lives for 15 ms, too short to be looked at.
threads_inherit() {
	pairs=100
	under sigtrap --budget 0 || return 1
	all=$(cost)
	under sigtrap --budget 1 && costs_less "$all"
	status=$?
	pairs=1
	return $status
}

point 'a timer stands in for the clock, while it has to' gives_way sigtrap
point 'also for one of user time' gives_way mixed
point 'what setting the clock costs is said' is_said
point 'short threads keep to the budget together' threads_inherit
points_done
