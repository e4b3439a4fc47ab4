#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# mpi-truth.sh - calls and bytes of each MPI function are those that the
# program itself counted.
# shellcheck source=tests/tap.sh
. "${srcdir:-$(dirname "$0")/..}/tests/tap.sh"
cd "$scratch" || exit 99

# FUNCTION CALLS SENT RECEIVED, of all ranks.
truths() {
	awk '$1 == "truth" { c[$3] += $4; s[$3] += $5; r[$3] += $6 }
		END { for (f in c) printf "%s %d %d %d\n", f, c[f], s[f], r[f] }' |
		sort
}

same_as_counted() {
	need mpirun
	[ -x "$programs/mpi-calls" ] || skip "mpi-calls was not built"
	rm -rf calls.copse
	mpirun -n "$1" "$copse" run --quiet -o calls.copse \
		"$programs/mpi-calls" >out 2>err || { cat out err; return 1; }
	truths <out >want
	[ -s want ] || { echo "the program printed no truth"; return 1; }
	"$copse" report mpi-calls calls.copse -n 0 -f csv >csv || return
	awk -v columns='function calls bytes_sent bytes_received' \
		-f "$srcdir/tests/csv.awk" csv | awk -F '\t' '
		{ c[$1] += $2; s[$1] += $3; r[$1] += $4 }
		END { for (f in c) printf "%s %d %d %d\n", f, c[f], s[f], r[f] }' |
		sort >is
	diff want is
}

for ranks in 2 4; do
	point "$ranks ranks" same_as_counted $ranks
done
points_done
