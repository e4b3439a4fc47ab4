# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2034,SC2154
# mpi.sh - what the tests share that run programs which know their own calls
# (tests/programs/mpi-truth.h), with each MPI.
#
#   launch MPI RANKS COMMAND…         with that MPI's launcher
#   counts_right MPI RANKS COMMAND…   with and without copse: the same output,
#                                     and the calls and bytes that the program
#                                     counted itself; leaves ./csv
#   counts_right_outside MPI RANKS COMMAND…
#                                     the same, copse in front of the launcher
#   need_spawned                      skips where spawned processes of Open MPI
#                                     hang by themselves, as with Debian 13's 5.0.7

launcher_of() {
	for command in "mpirun.$1" "mpiexec.$1" mpirun; do
		command -v "$command" && return
	done
	return 1
}

launch() {
	mpi=$1 ranks=$2
	shift 2
	launcher=$(launcher_of "$mpi") || skip "no launcher of $mpi here"
	"$launcher" -n "$ranks" "$@"
}

need_spawned() {
	[ -x "$programs/mpi-behaviour" ] || skip "mpi-behaviour was not built"
	launcher=$(launcher_of openmpi) || skip "no launcher of openmpi here"
	timeout 60 "$launcher" -n 2 "$programs/mpi-behaviour" dynamic \
		>spawned.out 2>&1 && return
	[ $? != 124 ] || skip "not without copse: it hangs"
	skip "not without copse: $(head -n 1 spawned.out)"
}

# FUNCTION CALLS SENT RECEIVED, of all ranks.
truths() {
	awk '$1 == "truth" { c[$3] += $4; s[$3] += $5; r[$3] += $6 }
		END { for (f in c)
			if (c[f])
				printf "%s %d %d %d\n", f, c[f], s[f], r[f] }' |
		sort
}

# Calls that are repeated until something is there differ in number.
without_polls() {
	grep -E '^(truth|seen|checksum)' "$1" |
		grep -vwE 'MPI_Test|MPI_Request_get_status' | sort
}

# A call that was left by a longjmp has a row, without calls, if a sample was in it.
reported() {
	"$copse" report mpi-calls calls.copse -n 0 -f csv >csv || return
	awk -v columns='function calls bytes_sent bytes_received' \
		-f "$srcdir/tests/lib/csv.awk" csv | awk -F '\t' '
		{ c[$1] += $2; s[$1] += $3; r[$1] += $4 }
		END { for (f in c)
			if (c[f])
				printf "%s %d %d %d\n", f, c[f], s[f], r[f] }' |
		sort
}

inside() {
	launch "$mpi" "$ranks" "$copse" run --quiet -o calls.copse "$@"
}

outside() {
	"$copse" run --quiet -o calls.copse \
		"$(launcher_of "$mpi")" -n "$ranks" "$@"
}

counts_right() {
	counts_right_by inside "$@"
}

counts_right_outside() {
	counts_right_by outside "$@"
}

counts_right_by() {
	measured=$1 mpi=$2 ranks=$3
	shift 3
	[ -x "$1" ] || skip "$(basename "$1") was not built"
	[ -e "$builddir/libcopse-mpi-$mpi.so" ] ||
		skip "no wrappers for $mpi were built"
	rm -rf calls.copse
	launcher=$(launcher_of "$mpi") || skip "no launcher of $mpi here"
	timeout 120 "$launcher" -n "$ranks" "$@" >out 2>err
	case $? in
	0)	without_polls out >plain ;;
	124)	skip "not without copse: it hangs" ;;
	*)	cat out err
		skip "not without copse: $(head -n 1 err)" ;;
	esac
	"$measured" "$@" >out 2>err || { cat out err; return 1; }
	without_polls out >with
	diff plain with || return
	if grep -E 'WRONG|wrong' with; then return 1; fi
	truths <out >want
	[ -s want ] || { echo "the program printed no truth"; return 1; }
	if ! { reported >is && diff want is; }; then
		cat err csv
		"$copse" report calls.copse 2>&1
		return 1
	fi
}
