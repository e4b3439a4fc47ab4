#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# compatible.sh - files of earlier versions are read, and say what they said:
# doc/compatibility.md.  tests/profiles/kept has a folder for each version.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
kept=$srcdir/tests/profiles/kept

# unpack VERSION: its rank files and its database, which nothing is with.
unpack() {
	mkdir -p "$scratch/$1/ranks" "$scratch/$1/database"
	for file in "$kept/$1"/*.h5.b64; do
		to=$(basename "$file" .b64)
		case $to in
		run.h5) to=database/$to ;;
		*) to=ranks/$to ;;
		esac
		base64 -d "$file" | xz -dc >"$scratch/$1/$to" || return
	done
}

# columns NAMES ANALYSIS FILE: of the program's functions.
columns() {
	"$copse" report -f csv "$2" "$3" >"$scratch/rows" &&
		awk -v columns="$1" -f "$srcdir/tests/lib/csv.awk" "$scratch/rows" |
		grep -E '^(work|main|MPI_(Barrier|Init))\b'
}

# says KIND VERSION FILE.  Of the program, which is not here, rank files have the
# names that its ranks knew.
says() {
	{
		columns 'function line exclusive inclusive' hotspots "$3"
		columns 'call_path calls seconds' mpi-calls "$3"
		columns 'call_path max_rank recoverable' imbalance "$3"
	} >"$scratch/is"
	diff "$kept/$2/$1.says" "$scratch/is"
}

read_ranks() {
	says ranks "$1" "$scratch/$1/ranks"
}

read_database() {
	says database "$1" "$scratch/$1/database/run.h5"
}

for folder in "$kept"/[0-9]*; do
	version=$(basename "$folder")
	point "files of $version are whole" unpack "$version"
	point "rank files of $version" read_ranks "$version"
	point "the database of $version" read_database "$version"
done
points_done
