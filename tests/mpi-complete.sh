#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# mpi-complete.sh - mpi/functions.tbl has every function of the installed
# mpi.h, with its prototype.
# shellcheck source=tests/tap.sh
. "${srcdir:-$(dirname "$0")/..}/tests/tap.sh"
MPICC=${MPICC:-mpicc}
export OMPI_CC="${CC:-cc}"
table=$srcdir/mpi/functions.tbl

header() {
	echo '#define OMPI_OMIT_MPI1_COMPAT_DECLS 0'
	echo '#include <mpi.h>'
}

# Declarations, one a line; then the names of the functions among them.
in_header() {
	header | "$MPICC" -E -P -x c - | sed 's/"[^"]*"//g' | tr '\n' ' ' |
		tr ';' '\n' | grep -v typedef |
		grep -oE '[ *](OMPI_C_)?MPI_[A-Za-z0-9_]+ *\(' |
		tr -d ' *(' | sort -u
}

# A prototype is all that follows the first five columns.
prototypes() {
	sed -e '/^#/d' -e '/^$/d' "$1" |
		awk '{ for (i = 1; i <= 5; i++) sub(/^[^ ]+ +/, ""); print }'
}

in_table() {
	prototypes "$1" | sed -e 's/(.*//' -e 's/.*[ *]//' | sort -u
}

lacks_nothing() {
	in_header >"$scratch/header"
	[ "$(wc -l <"$scratch/header")" -gt 300 ] || return 1
	in_table "$1" >"$scratch/table"
	comm -23 "$scratch/header" "$scratch/table" >"$scratch/missing"
	sed 's/^/functions.tbl lacks /' "$scratch/missing"
	[ ! -s "$scratch/missing" ]
}

# The compiler compares; what the header does not have is not declared.
same_prototypes() {
	in_header >"$scratch/header"
	{
		header
		prototypes "$1" | sed 's/$/;/' | grep -wFf "$scratch/header"
	} >"$scratch/prototypes.c"
	"$MPICC" -fsyntax-only -w "$scratch/prototypes.c"
}

notices() {
	if "$@" >"$scratch/noticed" 2>&1; then
		return 1
	fi
	grep -w "$name" "$scratch/noticed"
}

notices_a_missing_function() {
	name=MPI_Mprobe
	grep -v " $name(" "$table" >"$scratch/short.tbl"
	notices lacks_nothing "$scratch/short.tbl"
}

notices_a_wrong_prototype() {
	name=MPI_Wtick
	sed "s/double $name/float $name/" "$table" >"$scratch/wrong.tbl"
	notices same_prototypes "$scratch/wrong.tbl"
}

if ! command -v "$MPICC" >/dev/null; then
	echo "1..0 # SKIP no $MPICC here"
	exit 0
fi
point "every function of mpi.h is in the table" lacks_nothing "$table"
point "the prototypes are those of mpi.h" same_prototypes "$table"
point "a missing function is named" notices_a_missing_function
point "a wrong prototype is named" notices_a_wrong_prototype
points_done
