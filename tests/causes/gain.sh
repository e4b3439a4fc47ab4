#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# gain.sh - what the problem of each program of causes.tbl costs: elapsed
# seconds of the program less those of its mended variant.
#
# usage: tests/causes/gain.sh [NAME...]      in the build folder
#   SCALE=0.5   shorter runs    ROUNDS=1   fewer    RANKS="2 4"   other ranks
here=$(cd "$(dirname "$0")" && pwd)
built=${built:-tests/causes}
scale=${SCALE:-1}
rounds=${ROUNDS:-3}
: "${RANKS:=$(printf '%s\n4\n' "$(nproc)" | sort -nu | tr '\n' ' ')}"
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
trap 'exit 99' INT TERM
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM

python=
for command in python3 /usr/bin/python3; do
	[ -n "$python" ] || ! "$command" -c 'import mpi4py, numpy' 2>/dev/null ||
		python=$command
done

# run NAME RANKS [--mended] >>LINES
run() {
	name=$1
	ranks=$2
	shift 2
	if [ -f "$here/$name.py" ]; then
		[ -n "$python" ] || return
		set -- "$python" "$here/$name.py" "$@"
	else
		set -- "$built/$name" "$@"
	fi
	mpirun --oversubscribe -np "$ranks" "$@" "$scale" 2>/dev/null |
		grep '^result '
}

median() {
	awk -v field="$1" '{ print $field }' "$2" | sort -n |
		awk '{ v[NR] = $1 }
			END { print NR % 2 ? v[(NR + 1) / 2] : \
				(v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

# result R elapsed E s cpu C s; Fortran has a blank more before R.
compare() {
	plain=$scratch/plain
	mended=$scratch/mended
	[ -s "$plain" ] && [ -s "$mended" ] || {
		printf '%-12s %5d  did not run\n' "$1" "$2"
		return
	}
	same=$(awk '{ print $2 }' "$plain" "$mended" | sort -u | wc -l)
	awk -v name="$1" -v ranks="$2" -v same="$same" \
		-v p="$(median 4 "$plain")" -v m="$(median 4 "$mended")" \
		-v pc="$(median 7 "$plain")" -v mc="$(median 7 "$mended")" '
		BEGIN {
			printf "%-12s %5d %8.3f %8.3f %8.3f %5.0f %% %8.3f " \
				"%8.3f  %s\n", name, ranks, p, m, p - m,
				p ? 100 * (p - m) / p : 0, pc, mc,
				same == 1 ? "yes" : "NO"
		}'
}

# The table's first and third columns; a control has nothing to gain.
[ $# -gt 0 ] || {
	# shellcheck disable=SC2046 # a list of words
	set -- $(awk '!/^#/ && NF && $3 != "none" { print $1 }' \
		"$here/causes.tbl")
}

printf '%-12s %5s %8s %8s %8s %7s %8s %8s  %s\n' program ranks plain mended \
	gain share 'cpu' 'mended' 'same result'
for program; do
	for ranks in $RANKS; do
		: >"$scratch/plain"
		: >"$scratch/mended"
		round=0
		while [ "$round" -lt "$rounds" ]; do
			run "$program" "$ranks" >>"$scratch/plain"
			run "$program" "$ranks" --mended >>"$scratch/mended"
			round=$((round + 1))
		done
		compare "$program" "$ranks"
	done
done
