#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# cases.sh - runs each line of cases.tbl and compares with tests/profiles/expect/NAME.
#
#   tests/profiles/cases.sh                   all of them
#   tests/profiles/cases.sh NAME…             these
#   tests/profiles/cases.sh --accept NAME…    rewrites what is expected; look at it
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
# shellcheck source=tests/lib/viewers.sh
. "$srcdir/tests/lib/viewers.sh"

# The lines, with a tab between columns, which are two spaces or more apart.
cases() {
	grep -v -e '^#' -e '^ *$' "$srcdir/tests/profiles/cases.tbl" |
		sed 's/[ 	]\{2,\}/	/g'
}

# dir_of RANKS PROGRAM: where its profiles are.
dir_of() {
	echo "$scratch/$(echo "$1 $2" | tr -c 'a-zA-Z0-9\n' _).copse"
}

# measure RANKS PROGRAM: the directory with its profiles.  Cases that want the
# same run share it.  What the program said is in its NAME.out.
measure() {
	dir=$(dir_of "$1" "$2")
	if [ ! -d "$dir" ]; then
		words=$(echo "$2" | sed "s|@|$programs/|")
		mpirun=
		if [ "$1" != - ]; then
			need mpirun
			mpirun="mpirun -n $1"
		fi
		# shellcheck disable=SC2086 # lists of words
		$mpirun "$copse" run --quiet -o "$dir" $words \
			>"$dir.out" 2>&1 || { cat "$dir.out"; return 1; }
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

# check NAME RANKS PROGRAM REPORT
check() {
	report "$2" "$3" "$4" >"$scratch/is" ||
		{ err=$?; cat "$scratch/is"; return $err; }
	awk -v truths="$(dir_of "$2" "$3").out" \
		-f "$srcdir/tests/lib/expect.awk" \
		"$srcdir/tests/profiles/expect/$1" "$scratch/is" && return
	cat "$(dir_of "$2" "$3").out"
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
	}' "$scratch/is" >"$srcdir/tests/profiles/expect/$1"
}

accepts=
if [ "${1-}" = --accept ]; then
	accepts=yes
	shift
	[ $# -gt 0 ] || { echo "accept which case?" >&2; exit 1; }
fi
cases >"$scratch/cases"
for name; do
	grep -q "^$name	" "$scratch/cases" ||
		{ echo "no case $name" >&2; exit 1; }
done
while IFS='	' read -r name ranks program what; do
	case " ${*:-$name} " in *" $name "*) ;; *) continue ;; esac
	if [ -n "$accepts" ]; then
		accept "$name" "$ranks" "$program" "$what" </dev/null
	else
		point "$name" check "$name" "$ranks" "$program" "$what"
	fi
done <"$scratch/cases"
[ -z "$accepts" ] || exit

# Viewers of others can read all of these.
viewers() {
	cd "$scratch" || return
	set -- *.copse
	[ -e "$1" ] || skip "nothing was measured"
	for dir; do
		shift
		set -- "$@" "${dir%.copse}"
	done
	for what in speedscope pprof perfetto; do
		($what "$@") && continue
		[ $? = 77 ] || { echo "$what"; return 1; }
	done
}
[ $# -gt 0 ] || point "exports for viewers" viewers
points_done
