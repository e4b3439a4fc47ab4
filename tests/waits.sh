#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# waits.sh - programs in which one rank is late, at random: the report of waits
# names it first, with the call path that it was on, and the seconds that the
# others lost; in the same programs without a delay nobody is blamed.  The
# bounds are for a machine that does other things as well;
# tests/bench/waits.sh tells how good it is on a quiet one.
# shellcheck source=tests/tap.sh
. "${srcdir:-$(dirname "$0")/..}/tests/tap.sh"
# shellcheck source=tests/delays.sh
. "$srcdir/tests/delays.sh"
cd "$scratch" || exit 99
seed=${SEED:-$(date +%s)}

seconds_off=25 # per cent
blamed=4       # per cent of the run time, above what the program says itself

have_delays() {
	need mpirun
	[ -x "$programs/delays" ] || skip "delays was not built: no MPI compiler?"
}

run_one() {
	have_delays
	delays_judged "$1" 4 "$@" "seed=$seed" || return
	grep ^truth "$1.out"
	cat "$1.found"
	head -n 20 "$1.csv"
}

finds_the_culprit() {
	run_one "$@" || return
	[ "$(found_value first "$1.found")" = yes ] || return
	near "$(found_value error "$1.found")" 0 "$seconds_off"
}

blames_nobody() {
	run_one "$@" balanced=1 || return
	awk -v is="$(found_value blamed "$1.found")" \
		-v own="$(found_value own "$1.found")" -v most="$blamed" \
		'BEGIN { exit is > own + most }'
}

for pattern in $delay_patterns; do
	point "$pattern" finds_the_culprit "$pattern"
done
for pattern in allreduce halo; do
	point "$pattern, balanced" blames_nobody "$pattern"
done
points_done
