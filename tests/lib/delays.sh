# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2034,SC2154
# delays.sh - what tests/mpi/waits*.sh and tests/bench/waits.sh share: the patterns
# of tests/programs/delays, and a run of one under copse, judged.

seconds_off=25 # per cent
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
	awk -v columns='victim culprit_rank culprit sampled seconds indirect' \
		-f "$srcdir/tests/lib/csv.awk" "$judged.csv" >"$judged.rows" ||
		return
	awk -f "$srcdir/tests/lib/waits.awk" "$judged.out" "$judged.rows" \
		>"$judged.found"
}

# found_right NAME: most is blamed on who was waited for most, the culprit's call
# path is named, and its seconds are within $seconds_off per cent of what the
# program measured.  Where lateness spreads, it is the plan that says which part
# of a wait was whose doing: less so, the more others on the cores upset it.
found_right() {
	[ "$(found_value rank "$1.found")" = yes ] &&
		[ "$(found_value path "$1.found")" = yes ] || return
	case $1 in
	halo-wave | ring | worker | master)
		seconds_off=$(awk -v off="$seconds_off" \
			-v upset="$(found_value upset "$1.found")" \
			'BEGIN { print off + (upset < 0 ? -upset : upset) / 2 }') ;;
	esac
	near "$(found_value error "$1.found")" 0 "$seconds_off"
}

# Who is woken late waits for a core instead of the culprit: where we may, our
# processes go before others.
renice -n -20 -p $$ >/dev/null 2>&1

# found_value KEY FILE
found_value() {
	tr ' ' '\n' <"$2" | sed -n "s/^$1=//p"
}
