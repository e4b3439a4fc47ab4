# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034,SC2154
# bench.sh - what the benches share.  They run by hand from the build tree, on
# a quiet machine: ../tests/bench/NAME.sh [ROUNDS].  Each prints figures and
# judges nothing; doc/performance.md says what they should be.

srcdir=${srcdir:-$(dirname "$0")/../..}
# shellcheck source=tests/tap.sh
. "$srcdir/tests/tap.sh"
rounds=${1:-5}
CC=${CC:-cc}

# compile NAME FLAG…: tests/bench/NAME.c, into $scratch/NAME.
compile() {
	local name=$1

	shift
	"${compiler:-$CC}" -O2 -g -o "$scratch/$name" \
		"$srcdir/tests/bench/$name.c" "$@" || exit 1
}

# cpu_and_wall COMMAND…: leaves user+system and elapsed seconds of the command
# and all its children in $cpu and $wall; its output goes to $scratch/out.
cpu_and_wall() {
	local TIMEFORMAT='%U %S %R' times

	times=$({ time "$@" >"$scratch/out" 2>"$scratch/err" </dev/null; } 2>&1) ||
		{ cat "$scratch/err" >&2; exit 1; }
	read -r cpu wall < <(echo "$times" | awk '{ print $1 + $2, $3 }')
}

# median FILE: of the numbers in it, with the smallest and the largest.
median() {
	sort -g "$1" | awk '{ v[NR] = $1 } END {
		m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2
		printf "%.3f (%.3f to %.3f, n=%d)\n", m, v[1], v[NR], NR }'
}

machine() {
	echo "# $(date -u +%F), $(nproc --all) cores," \
		"$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)," \
		"Linux $(uname -r), load $(cut -d ' ' -f 1 /proc/loadavg)"
}
