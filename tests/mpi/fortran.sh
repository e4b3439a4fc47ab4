#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fortran.sh - MPI calls from Fortran, by each way to MPI: the program
# behaves the same, and calls, bytes and paths are its own.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
# shellcheck source=tests/lib/mpi.sh
. "$srcdir/tests/lib/mpi.sh"
cd "$scratch" || exit 99

# The caller of an MPI function is the program's, nothing of the binding's.
paths_are_the_programs() {
	awk -v columns=call_path -f "$srcdir/tests/lib/csv.awk" csv |
		awk '$2 != "←" || $3 !~ /^(begin|point_to_point|persistent|cancelled|collective|several|spawned|bottom|strings|attributes|error_returns|file|one_sided|communicators|mpi_fortran)_?$/ {
			print "path: " $0
			bad = 1
		}
		END { exit bad || NR < 60 }'
}

one_name_for_all_languages() {
	awk -v columns=function -f "$srcdir/tests/lib/csv.awk" csv | sort -u |
		grep -v '^MPI_[A-Z][a-z_]*$' && return 1
	return 0
}

# MPICH, as Debian builds it, cannot spawn.
right_in_fortran() {
	word=
	[ "$1" = mpich ] || word=dynamic
	counts_right "$1" 2 "$programs/mpi-fortran.$1.$2" $word &&
		paths_are_the_programs && one_name_for_all_languages
}

for mpi in openmpi mpich; do
	for way in mpif_h mpi_f90 mpi_f08; do
		point "$mpi, $way" right_in_fortran $mpi $way
	done
done
points_done
