#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# windows.sh - windows of one-sided communication are the same on all ranks,
# whatever was made and freed before: tests/programs/windows says who is late for
# which, with each MPI.
# shellcheck source=tests/tap.sh
. "${srcdir:-$(dirname "$0")/..}/tests/tap.sh"
# shellcheck source=tests/mpi.sh
. "$srcdir/tests/mpi.sh"
cd "$scratch" || exit 99
# Open MPI 4.1's other one names files after the communicator's number, which
# two halves have in common: they unlink each other's.
export OMPI_MCA_osc=^rdma

# measured MPI PROGRAM
measured() {
	[ -x "$2" ] || skip "$(basename "$2") was not built"
	[ -e "$builddir/.libs/libcopse-mpi-$1.so" ] ||
		skip "no wrappers for $1 were built"
	rm -rf windows.copse
	launch "$1" 4 "$copse" run --quiet -o windows.copse "$2" >out 2>&1 ||
		{ cat out; return 1; }
	"$copse" report waits windows.copse -n 0 -f csv >csv &&
		awk -v columns='kind victim culprit_rank seconds' \
			-f "$srcdir/tests/csv.awk" csv >rows
}

# The rank that most is blamed on, at that call below that function.
blamed() {
	awk -F '\t' -v call="$1" -v below="$2" '
		index($2, call " ← " below " ") == 1 { s[$3] += $4 }
		END { for (r in s) if (s[r] > most) { most = s[r]; worst = r }
			print worst }' rows
}

# is_blamed RANK CALL FUNCTION
is_blamed() {
	[ "$(blamed "$2" "$3")" = "$1" ] && return
	echo "at $2 in $3 most is blamed on rank $(blamed "$2" "$3"), not $1"
	cat rows
	return 1
}

late_ones() {
	measured "$@" && is_blamed 1 MPI_Win_fence all_together &&
		is_blamed 2 MPI_Win_allocate make &&
		is_blamed 0 MPI_Win_free end || return
	# Ranks 2 and 3 pass two fences in each round, 0 and 1 one.
	is_blamed 3 MPI_Win_fence each_half || return
	awk -F '\t' '$1 == "fence" && $2 ~ /each_half/ && $3 == 0 { n++ }
		END { exit !n }' rows
}

# Busy cores make others late, no parts go astray.
all_joined() {
	measured "$@" || return
	"$copse" report waits windows.copse >text || return
	! grep 'not joined' text
}

for mpi in openmpi mpich; do
	suffix=
	[ "$mpi" = openmpi ] || suffix=.mpich
	point "$mpi: the late ones" one_of_three late_ones "$mpi" \
		"$programs/windows$suffix"
	point "$mpi: no part is lost" all_joined "$mpi" \
		"$programs/windows$suffix"
done
points_done
