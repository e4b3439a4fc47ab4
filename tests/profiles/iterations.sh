#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# iterations.sh - the loops of a program, as copse report iterations finds them:
# one after another, few and irregular ones; and none where there is no loop.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99

# run ARGUMENT…
run() {
	need mpirun
	[ -x "$programs/mpi-loops" ] || skip "mpi-loops was not built"
	rm -rf app.copse
	mpirun -n 2 "$copse" run -q -o app.copse "$programs/mpi-loops" "$@" \
		>out 2>err || { cat out err; return 1; }
	"$copse" report iterations app.copse >page
	cat page
}

# 40 regular rounds, then 5 of which some take eight times as long.  Where cores
# are crowded the first loop is nearly as long: which one is the steps is open.
two_loops() {
	run "$@" || return
	"$copse" report iterations app.copse -f csv --table series \
		-o series || return
	cat series
	[ "$(cut -d, -f3 series | tail -n 2 | xargs)" = '40 5' ] &&
		grep -qE '^(5|40) iterations of' page
}

# Contexts that come late have stamps of few calls: enough for five.
late_rounds() {
	run many && grep -q '^5 iterations of' page
}

# Each panel is another rank's, which calls from another line.
panels_of_all() {
	run roles && grep -q '^25 iterations of' page
}

none_that_ranks_share() {
	run "$1" && grep -q '^No iterations' page
}

# By chance it may be, in one of them.
none_at_random() {
	none=0
	for seed in 1 2 3 4 5 6; do
		run random $seed || return
		grep -q '^No iterations' page && none=$((none + 1))
	done
	[ $none -ge 5 ]
}

point 'two loops, one after the other, each with its number' two_loops
point 'the same after 48,000 calls of 24 contexts' two_loops late
point 'few rounds after 80,000 calls of 2048 contexts' late_rounds
point 'a function that ranks call from different lines' panels_of_all
point 'ranks that answer what comes share no iterations' none_that_ranks_share answers
point 'nor do ranks that have a loop in turns' none_that_ranks_share turns
point 'nor is the loop of one of two theirs' none_that_ranks_share alone
point 'calls at random have no iterations' none_at_random
points_done
