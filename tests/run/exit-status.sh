#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# exit-status.sh - however a rank ends, every rank's profile is there, with samples up
# to 0.1 s before the end, and the report says who ended how.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99

work_s=0.5

# left RANKS: something of each; mpirun may kill a parent once it has its copy.
left() {
	for rank in $(seq 0 $(($1 - 1))); do
		[ -s "end.copse/rank-$rank.h5" ] ||
			ls end.copse/rank-"$rank"-*.live >/dev/null 2>&1 ||
			{ echo "rank $rank left nothing:"; ls end.copse; return 1; }
	done
}

# kept RANKS: a profile of each rank, and the work of all ranks in it.
kept() {
	left "$1" || return
	"$copse" report hotspots end.copse -n 0 -f csv >csv || return
	awk -v columns='function inclusive' -f "$srcdir/tests/lib/csv.awk" csv \
		>rows
	found=$(awk -F '\t' '$1 == "before_the_end" { print $2 }' rows)
	near "${found:-0}" "$(awk "BEGIN { print $1 * $work_s }")" \
		"$(awk "BEGIN { print $1 * 0.1 }")"
}

# says WORD: the summary does.
says() {
	"$copse" report end.copse >summary 2>&1
	grep -qi -e "$1" summary && return
	echo "the summary has no word of $1:"
	cat summary
	return 1
}

ends() {
	need mpirun
	[ -x "$programs/mpi-crash" ] || skip "mpi-crash was not built"
	rm -rf end.copse
	timeout -k 10 60 mpirun -n 2 "$copse" run --quiet -o end.copse \
		"$programs/mpi-crash" "$1" 0 $work_s >out 2>&1
	status=$?
	[ $status != 124 ] || { echo "it hangs"; cat out; return 1; }
	[ $status != 0 ] || [ "$1" = finish ] ||
		{ echo "the failure was lost"; return 1; }
	kept 2 && says "$2"
}


# working PROGRAM RANKS: so many, for a second by now, which is not MPI_Init's.
working() {
	count=0
	for pid in $(pgrep -x "$1"); do
		[ "$(readlink "/proc/$pid/cwd")" != "$scratch" ] ||
			! has_worked "$pid" 100 || count=$((count + 1))
	done
	[ "$count" = "$2" ]
}

# A signal to mpirun while the ranks work.
signalled() {
	need mpirun pgrep
	[ -x "$programs/mpi-skew" ] || skip "mpi-skew was not built"
	rm -rf end.copse
	mpirun -n 2 "$copse" run --quiet -o end.copse "$programs/mpi-skew" 5 \
		>out 2>&1 &
	launcher=$!
	wait_for working mpi-skew 2 || return
	kill "-$1" $launcher
	wait $launcher
	wait_for left 2 || { left 2; return 1; }
	"$copse" report hotspots end.copse -f csv >csv || return
	grep -q '^work,' csv || { cat csv; return 1; }
}

# The one that waits has worked for a second, of which it may have needed half
# before; the other sleeps.
never_left() {
	need mpirun pgrep
	[ -x "$programs/mpi-crash" ] || skip "mpi-crash was not built"
	rm -rf end.copse
	mpirun -n 2 "$copse" run --quiet -o end.copse "$programs/mpi-crash" \
		sleep 0 0.1 >out 2>&1 &
	launcher=$!
	wait_for working mpi-crash 1 || return
	kill -TERM $launcher
	wait $launcher
	wait_for left 2 || { left 2; return 1; }
	"$copse" report mpi-calls end.copse -n 0 -f csv >csv || return
	awk -v columns='function calls seconds' -f "$srcdir/tests/lib/csv.awk" \
		csv >rows
	awk '$1 == "MPI_Barrier" && $2 == 0 && $3 > 0.5 { good = 1 }
		END { exit !good }' rows || { cat rows; return 1; }
}

point "a good end" ends finish 'rank'
point "MPI_Abort" ends abort abort
point "SIGSEGV" ends segv 'SEGV\|segmentation'
point "kill -9 of one rank" ends kill9 'KILL\|signal 9'
point "_exit" ends _exit 'exit'
point "exit without MPI_Finalize" ends exit 'exit'
point "a fatal MPI error" ends error 'abort\|exit'
point "SIGTERM to mpirun" signalled TERM
point "SIGINT to mpirun" signalled INT
point "a call that is never left takes time" never_left
points_done
