#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# cases.sh - runs each line of cases.tbl and compares with tests/expect/NAME.
#
#   tests/cases.sh                   all of them
#   tests/cases.sh --accept NAME…    rewrites what is expected; look at it
# shellcheck source=tests/tap.sh
. "${srcdir:-$(dirname "$0")/..}/tests/tap.sh"

# The lines as NAME<tab>RANKS<tab>PROGRAM<tab>REPORT; columns are two spaces
# or more apart.
cases() {
	grep -v -e '^#' -e '^ *$' "$srcdir/tests/cases.tbl" |
		sed 's/[ 	]\{2,\}/	/g'
}

# measure RANKS PROGRAM: the directory with its profiles.  Cases that want the
# same run share it.
measure() {
	dir=$scratch/$(echo "$1 $2" | tr -c 'a-zA-Z0-9\n' _).copse
	if [ ! -d "$dir" ]; then
		words=$(echo "$2" | sed "s|@|$programs/|")
		mpirun=
		if [ "$1" != - ]; then
			need mpirun
			mpirun="mpirun -n $1"
		fi
		# shellcheck disable=SC2086 # lists of words
		$mpirun "$copse" run --quiet -o "$dir" $words \
			>"$scratch/out" 2>&1 || { cat "$scratch/out"; return 1; }
	fi
	echo "$dir"
}

# report RANKS PROGRAM REPORT: what is compared.
report() {
	program=$programs/$(echo "$2" | sed 's/.*@\([^ ]*\).*/\1/')
	[ -x "$program" ] || skip "$program was not built: no MPI compiler?"
	dir=$(measure "$1" "$2") || { err=$?; echo "$dir"; return $err; }
	# shellcheck disable=SC2086 # a list of words
	"$copse" report $3 "$dir" -f csv
}

check() {
	report "$2" "$3" "$4" >"$scratch/is" ||
		{ err=$?; cat "$scratch/is"; return $err; }
	awk -f "$srcdir/tests/expect.awk" "$srcdir/tests/expect/$1" \
		"$scratch/is" && return
	echo "the report was:"
	cat "$scratch/is"
	return 1
}

# Numbers with a fraction were measured: they become a range of a tenth.
accept() {
	report "$2" "$3" "$4" >"$scratch/is" || return 1
	awk -F , -v OFS=, '{
		for (i = 1; i <= NF; i++)
			if ($i ~ /^[0-9]+\.[0-9e-]+$/)
				$i = sprintf("{%.4g..%.4g}", $i * 0.9, $i * 1.1)
		print
	}' "$scratch/is" >"$srcdir/tests/expect/$1"
}

if [ "${1-}" = --accept ]; then
	shift
	for name in "$@"; do
		cases | grep "^$name	" >"$scratch/line" ||
			{ echo "no case $name" >&2; exit 1; }
		while IFS='	' read -r name ranks program what; do
			accept "$name" "$ranks" "$program" "$what" </dev/null
		done <"$scratch/line"
	done
	exit
fi

cases >"$scratch/cases"
while IFS='	' read -r name ranks program what; do
	point "$name" check "$name" "$ranks" "$program" "$what"
done <"$scratch/cases"
points_done
