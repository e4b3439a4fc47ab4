#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# waits-calls.sh - who made whom wait at windows of one-sided communication, and
# among neighbours, with each MPI: the programs say who is late for what.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
# shellcheck source=tests/lib/mpi.sh
. "$srcdir/tests/lib/mpi.sh"
cd "$scratch" || exit 99
# Open MPI 4.1's other one names files after the communicator's number, which
# two halves have in common: they unlink each other's.  5.0 has no other one.
! ompi_info 2>/dev/null | grep -q 'osc: pt2pt' || export OMPI_MCA_osc=^rdma,ucx

# measured MPI PROGRAM: leaves ./rows of KIND, VICTIM, RANK, VICTIMS, SECONDS.
measured() {
	program=$programs/$2
	[ "$1" = openmpi ] || program=$program.$1
	[ -x "$program" ] || skip "$(basename "$program") was not built"
	[ -e "$builddir/libcopse-mpi-$1.so" ] ||
		skip "no wrappers for $1 were built"
	rm -rf run.copse
	launch "$1" 4 "$copse" run --quiet -o run.copse "$program" >out 2>&1 ||
		{ cat out; return 1; }
	"$copse" report waits run.copse -n 0 -f csv >csv &&
		awk -v columns='kind victim culprit_rank victims seconds' \
			-f "$srcdir/tests/lib/csv.awk" csv >rows
}

# is_blamed RANK KIND VICTIMS CALL FUNCTION: by the largest row of calls, a
# regular expression, in that function.
is_blamed() {
	awk -F '\t' -v call="^($4) ← $5 " 'match($2, call)' rows |
		sort -t "$(printf '\t')" -k 5 -g -r | head -n 1 >largest
	awk -F '\t' -v rank="$1" -v kind="$2" -v victims="$3" '{
		good = $3 == rank && $1 == kind && $4 == victims }
		END { exit !good }' largest && return
	echo "at $4 in $5 rank $1 is not blamed:"
	cat largest rows
	return 1
}

windows() {
	measured "$1" windows &&
		is_blamed 1 fence '0, 2, 3' MPI_Win_fence all_together &&
		is_blamed 2 all-to-all '0, 1, 3' MPI_Win_allocate make &&
		is_blamed 0 all-to-all 1–3 MPI_Win_free end &&
		is_blamed 3 fence 2 MPI_Win_fence each_half &&
		is_blamed 3 late-sender '0, 1' \
			'MPI_Win_start|MPI_Win_complete' late_post &&
		is_blamed 0 late-sender '2, 3' MPI_Win_wait late_complete ||
		return
	# The other half has its own.
	awk -F '\t' '$1 == "fence" && $2 ~ /each_half/ && $3 == 0 &&
		$4 == 1 { n++ } END { exit !n }' rows
}

neighbours() {
	measured "$1" neighbours &&
		is_blamed 1 late-sender '0, 3' MPI_Neighbor_allgather \
			on_torus &&
		is_blamed 0 late-sender '1, 2' MPI_Neighbor_alltoallv \
			from_star &&
		is_blamed 2 late-sender 3 MPI_Neighbor_alltoallw in_pairs
}

# Busy cores make others late, no parts go astray.
all_joined() {
	measured "$@" || return
	"$copse" report waits run.copse >text || return
	! grep 'not matched' text
}

for mpi in openmpi mpich; do
	for what in windows neighbours; do
		point "$mpi: the late ones of $what" $what $mpi
		point "$mpi: no part of $what is lost" all_joined $mpi $what
	done
done
points_done
