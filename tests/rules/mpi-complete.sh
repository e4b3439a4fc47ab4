#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# mpi-complete.sh - mpi/functions.tbl has every function of each installed
# mpi.h, the wrappers have its types, and they stand in front of all names of the
# Fortran bindings.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
OMPI_CC="${CC:-cc}" MPICH_CC="${CC:-cc}"
export OMPI_CC MPICH_CC
table=$srcdir/mpi/functions.tbl

compiler_of() {
	case $1 in
	openmpi) echo "${MPICC:-mpicc}" ;;
	mpich)	echo "${MPICC_MPICH:-mpicc.mpich}" ;;
	esac
}

# need_mpi MPI: skip unless its compiler is here; sets $cc.
need_mpi() {
	cc=$(compiler_of "$1")
	command -v "$cc" >/dev/null || skip "no compiler of $1 here"
}

header() {
	echo '#define OMPI_OMIT_MPI1_COMPAT_DECLS 0'
	echo '#include <mpi.h>'
}

# Names of functions, types, parameters, as the build takes them from mpi.h.
in_header() {
	header | "$cc" -E -P -x c - | awk -f "$srcdir/mpi/prototypes.awk"
}

# generated GENERATOR PROTOTYPES [TABLE]
generated() {
	awk -v mpi="$mpi" -f "$srcdir/mpi/row.awk" -f "$1" "$2" "${3:-$table}"
}

lacks_nothing() {
	need_mpi "$1"
	in_header >"$scratch/header"
	[ "$(wc -l <"$scratch/header")" -gt 300 ] || return 1
	generated "$srcdir/mpi/unwrapped.awk" "$scratch/header" \
		>"$scratch/missing"
	sed 's/^/functions.tbl lacks /' "$scratch/missing"
	[ ! -s "$scratch/missing" ]
}

# Later versions take a const array there: here with it and without, whichever
# is installed.
takes_either_list() {
	need_mpi mpich
	name=MPI_Pready_list
	in_header | grep -q "^$name	" || skip "this MPICH has no $name"
	echo '$2 != "hand" { print type name "(" list ");" }' >"$scratch/declare.awk"
	for const in "" const; do
		header | "$cc" -E -P -x c - |
			sed "s/\(P*$name(int [a-z]*,\) \(const \)*int /\1 $const int /" \
			>"$scratch/header.h"
		awk -f "$srcdir/mpi/prototypes.awk" "$scratch/header.h" \
			>"$scratch/header"
		{
			cat "$scratch/header.h"
			generated "$scratch/declare.awk" "$scratch/header"
		} >"$scratch/both.c"
		grep "$name(int [a-z]*, $const *int array" "$scratch/both.c" &&
			"$cc" -fsyntax-only -w "$scratch/both.c" || return 1
	done
}

# An older mpi.h has no MPI_Mprobe, a newer one MPI_New, and another parameter of
# MPI_Recv.
leaves_out() {
	need_mpi "$1"
	in_header | sed -e '/^MPI_Mprobe\t/d' \
		-e '/^MPI_Recv\t/s/$/, int new/' >"$scratch/header"
	printf 'MPI_New\tint \tint a\n' >>"$scratch/header"
	generated "$srcdir/mpi/gates.awk" "$scratch/header" >"$scratch/gates"
	generated "$srcdir/mpi/unwrapped.awk" "$scratch/header" \
		>"$scratch/unwrapped"
	cat "$scratch/unwrapped"
	! grep -E '^GATE.MPI_(Mprobe|Recv|New),' "$scratch/gates" &&
		grep -q '^GATE.MPI_Probe,' "$scratch/gates" &&
		printf '{ "%s", "%s" },\n' "$mpi" MPI_New "$mpi" MPI_Recv |
			diff "$scratch/unwrapped" -
}

exported() {
	nm -D --defined-only "$1" | awk '$2 ~ /[TW]/ { print $NF }' | sort -u
}

# What is called in C and wrapped is exported, and so is nothing that the MPI
# library lacks: a program may ask whether it is there.
same_as_library() {
	need_mpi "$1"
	[ -e "libcopse-mpi-$1.so" ] || skip "no wrappers for $1"
	echo 'int main(void) { return 0; }' >"$scratch/empty.c"
	"$cc" -Wl,--no-as-needed -o "$scratch/empty" "$scratch/empty.c"
	library=$(ldd "$scratch/empty" | awk -v name="^$2" '$1 ~ name { print $3 }')
	exported "$library" | grep -E '^P?MPI_' >"$scratch/theirs"
	exported "libcopse-mpi-$1.so" >"$scratch/all"
	# MPI_SEND is Fortran's.
	grep -E '^P?MPI_[A-Z][a-z]|^P?MPI_[A-Z]$' "$scratch/all" >"$scratch/ours"
	comm -13 "$scratch/theirs" "$scratch/ours" >"$scratch/more"
	sed 's/^/the library has no /' "$scratch/more"
	[ "$(wc -l <"$scratch/ours")" -gt 300 ] && [ ! -s "$scratch/more" ]
}

# Names of Fortran bindings that are not wrapped: what the table skips, and
# what is not of C: sizes, callbacks, other spellings of statuses, extensions.
fortran_skips() {
	awk '$1 == "skip"' "$table" >"$scratch/skipped.tbl"
	sed -e 's/(.*//' -e 's/.*[ *]//' "$scratch/skipped.tbl" | tr A-Z a-z |
		sed 's/$/_/'
	cat <<'END'
mpi_sizeof
mpi_f_sync_reg
mpi_.*_fn_
mpi_conversion_fn_null
mpi_status_f.*2
mpi_fortran_
mpix_
mpi_w.*_f90
mpi_aint_.*_f90
mpi_delete_error_.*_f08
END
}

# fortran_is_complete MPI LIBRARY…
fortran_is_complete() {
	[ -e "libcopse-mpi-$1.so" ] || skip "no wrappers for $1"
	exported "libcopse-mpi-$1.so" >"$scratch/all"
	shift
	: >"$scratch/theirs"
	for name in "$@"; do
		library=$(ldconfig -p | awk -v name="$name" '$1 == name { print $NF; exit }')
		[ -n "$library" ] || skip "no $name here"
		exported "$library" | grep -E '^mpi_.*_$' >>"$scratch/theirs"
	done
	fortran_skips >"$scratch/skips"
	[ "$(wc -l <"$scratch/theirs")" -gt 300 ] || return 1
	sort -u "$scratch/theirs" | comm -23 - "$scratch/all" |
		grep -vf "$scratch/skips" >"$scratch/missing"
	sed 's/^/not wrapped: /' "$scratch/missing"
	[ ! -s "$scratch/missing" ]
}

for mpi in openmpi mpich; do
	point "$mpi: every function of mpi.h is in the table" lacks_nothing $mpi
	point "$mpi: what the table has otherwise is left out, and listed" \
		leaves_out $mpi
done
mpi=mpich
point "mpich: a list of partitions that is const, or is not" takes_either_list
point "openmpi: no symbol that the library lacks" \
	same_as_library openmpi libmpi.so
point "mpich: no symbol that the library lacks" \
	same_as_library mpich libmpich.so
point "openmpi: every function of Fortran is wrapped" fortran_is_complete \
	openmpi libmpi_mpifh.so.40 libmpi_usempif08.so.40 \
	libmpi_usempi_ignore_tkr.so.40
point "mpich: every function of Fortran is wrapped" fortran_is_complete \
	mpich libmpichfort.so.12
points_done
