# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2034,SC2154
# real.sh - what the tests with real programs share: run PROGRAM with and
# without copse, compare what it says, ask the profile.
#
#   run_both RANKS PROGRAM ARGUMENTS…   fills $scratch/plain and $scratch/with
#                                       (standard output), and $profile;
#                                       0 ranks: without mpirun
#   same_but FILTER                     the outputs, each through the function
#                                       FILTER, are the same
#   rows COLUMNS REPORT…                of a report, as tab-separated values

profile=$scratch/real.copse

# What was run is kept for run_verified, in a file: points are subshells.
run_both() {
	mpirun="mpirun -n $1"
	[ "$1" != 0 ] || mpirun=
	shift
	printf '%s\n' "cd '$PWD'" "mpirun='$mpirun'" "output_file=${output_file-}" \
		"set -- $(printf "'%s' " "$@")" >"$scratch/.command"
	# shellcheck disable=SC2086 # a list of words
	one_run plain $mpirun "$@" &&
		one_run with $mpirun "$copse" run -o "$profile" "$@"
}

# one_run TO COMMAND…: standard output, or $output_file when that is set.
one_run() {
	to=$1
	shift
	"$@" >"$scratch/$to" 2>"$scratch/$to.err" </dev/null ||
		{ cat "$scratch/$to.err"; return 1; }
	[ -z "${output_file-}" ] || mv "$output_file" "$scratch/$to"
}

same_but() {
	"$1" <"$scratch/plain" >"$scratch/plain.same"
	"$1" <"$scratch/with" >"$scratch/with.same"
	[ -s "$scratch/plain.same" ] || { echo "no output"; return 1; }
	diff "$scratch/plain.same" "$scratch/with.same"
}

rows() {
	columns=$1
	shift
	"$copse" report "$@" "$profile" -f csv >"$scratch/csv" || return
	awk -v columns="$columns" -f "$srcdir/tests/lib/csv.awk" "$scratch/csv"
}

# after_run COMMAND…: it makes no sense when the run was skipped or failed.
after_run() {
	[ -e "$profile" ] || skip "there was no run"
	"$@"
}

# first_function PATTERN: the hottest one, but for MPI, where ranks that lack
# cores may wait for longer than they work.
first_function() {
	hot=$(rows function hotspots -n 20) || return
	first=$(echo "$hot" | grep -v '^MPI_' | head -n 1)
	# shellcheck disable=SC2254 # a pattern on purpose
	case $first in
	$1) ;;
	*)	echo "first in hotspots: $first"
		return 1 ;;
	esac
}

# hot_function PATTERN: one of the three hottest.
hot_function() {
	hot=$(rows function hotspots -n 3) || return
	for function in $hot; do
		# shellcheck disable=SC2254 # a pattern on purpose
		case $function in
		$1) return 0 ;;
		esac
	done
	echo "not among the hottest: $hot"
	return 1
}

# named MODULE SHARE: at least SHARE of the time in modules that match the
# pattern is in functions with a name, not MODULE+0xOFFSET.
named() {
	rows 'function module exclusive' hotspots -n 0 >"$scratch/rows" ||
		return
	awk -F '\t' -v module="$1" -v least="$2" '$2 ~ module {
			all += $3
			if ($1 !~ /\+0x[0-9a-f]+$/)
				named += $3
			else
				print $0
		}
		END {
			print named + 0 " of " all + 0 " seconds have names"
			exit !(all > 0 && named >= least * all)
		}' "$scratch/rows"
}

# The findings on stderr name every rank's file; there is one for each.
one_profile_per_rank() {
	for rank in $(seq 0 $(($1 - 1))); do
		[ -s "$profile/rank-$rank.h5" ] ||
			{ echo "no rank-$rank.h5"; ls "$profile"; return 1; }
	done
}

# complete SHARE: of all ticks at least that many have a path that begins
# where the program or the thread does.  Those that were dropped behind dear ones
# are not counted, if they are few: how dear a tick is is the machine's affair.
complete() {
	rows 'name count' summary --table losses >"$scratch/rows" || return
	slow=$(awk '$1 == "dropped.slow" { print $2 }' "$scratch/rows")
	rows 'ticks complete' summary --table run >"$scratch/rows" || return
	awk -v least="$1" -v slow="${slow:-0}" '
		{ print $2 " of " $1 " ticks are complete, " slow " dropped" }
		!($1 >= 100 && slow <= 0.1 * $1) { bad = 1 }
		!($2 * $1 >= least * ($1 - slow)) { bad = 1 }
		END { exit bad || NR != 1 }' "$scratch/rows" && return
	rows 'name count' summary --table losses
	cat "$scratch/csv"
	return 1
}

# What the memo says is what a full walk finds: once more, with --verify.  That
# makes the wrappers of MPI calls slow, so nothing else is asked of that run.
paths_are_verified() {
	profile=$scratch/verified.copse
	. "$scratch/.command"
	# shellcheck disable=SC2086 # a list of words
	one_run verified $mpirun "$copse" run -o "$profile" --budget 0 --verify on "$@" ||
		return
	rows samples summary --table run >"$scratch/rows" &&
		awk '{ exit !($1 >= 100) }' "$scratch/rows" &&
		rows 'name count' summary --table losses >"$scratch/rows" ||
		return
	! grep verify "$scratch/rows"
}

mpi_time_is_there() {
	rows 'seconds calls' mpi-calls -n 0 >"$scratch/rows" || return
	awk '{ s += $1; n += $2 } END {
		print s + 0 " s in " n + 0 " MPI calls"
		exit !(s > 0 && n > 0) }' "$scratch/rows"
}

imbalance_is_there() {
	rows 'mean max' imbalance >"$scratch/rows" || return
	awk '$2 > 0 { n++ } END { print n + 0 " rows"; exit !n }' \
		"$scratch/rows"
}
