# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2034,SC2154
# delays.sh - what tests/mpi/waits.sh and tests/bench/waits.sh share: the patterns
# of tests/programs/delays, and a run of one under copse, judged.

delay_patterns=$("$programs/delays" patterns 2>/dev/null)

# delays_judged NAME RANKS PATTERN [KEY=VALUE…]: runs it, asks for the report,
# and leaves NAME.out (with the truth), NAME.csv (the report) and NAME.found,
# the line that waits.awk makes of them.  False, with a reason, when it failed.
# $launch starts the ranks, mpirun when it is not set.
delays_judged() {
	judged=$1
	ranks=$2
	shift 2
	rm -rf "$judged.copse"
	"${launch:-mpirun}" -n "$ranks" "$copse" run --quiet -o "$judged.copse" \
		"$programs/delays" "$@" >"$judged.out" 2>"$judged.err" ||
		{ cat "$judged.out" "$judged.err"; return 1; }
	"$copse" report waits "$judged.copse" -n 0 -f csv >"$judged.csv" ||
		return
	awk -v columns='victim culprit_rank culprit sampled seconds' \
		-f "$srcdir/tests/lib/csv.awk" "$judged.csv" >"$judged.rows" ||
		return
	awk -f "$srcdir/tests/lib/waits.awk" "$judged.out" "$judged.rows" \
		>"$judged.found"
}

# with_seeds COMMAND…: true as soon as it is, of five times, each with another
# $seed.  On a busy machine others keep the culprit itself from its core, or make
# somebody else late; but not for longer when the delays are longer, and so each
# time $length, in seconds, is twice what it was.  What is wrong is so always.
with_seeds() {
	length=0.005
	one_of 5 with_a_seed "$@"
}

with_a_seed() {
	seed=$((seed + 1))
	length=$(awk -v last="$length" 'BEGIN { print 2 * last }')
	"$@"
}

# found_value KEY FILE
found_value() {
	tr ' ' '\n' <"$2" | sed -n "s/^$1=//p"
}
