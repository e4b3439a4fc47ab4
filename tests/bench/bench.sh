# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034,SC2154
# bench.sh - what the benches share.  They run by hand from the build tree, on
# a quiet machine: ../tests/bench/NAME.sh [ROUNDS].  Each prints figures and
# judges nothing; doc/performance.md says what they should be.
#
# Elsewhere, where nothing can be built, they use what tests/bench/pack.sh put
# together; the environment says where it is:
#   COPSE     the command
#   PROGRAMS  the folder of tests/programs, built
#   HELPERS   the folder of this one's programs, built

srcdir=${srcdir:-$(dirname "$0")/../..}
# shellcheck source=tests/lib/tap.sh
. "$srcdir/tests/lib/tap.sh"
copse=${COPSE:-$copse}
programs=${PROGRAMS:-$programs}
rounds=${1:-5}
CC=${CC:-cc}

# How many cores there are to use; tap.sh sets what nproc would take for it.
cores() {
	env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc
}

# compile NAME FLAG…: tests/bench/NAME.c, into $scratch/NAME; false, with a
# word, where that cannot be had.
compile() {
	local name=$1

	shift
	if [ -n "${HELPERS-}" ]; then
		[ -e "$HELPERS/$name" ] && cp "$HELPERS/$name" "$scratch/"
	else
		"${compiler:-$CC}" -O2 -g -o "$scratch/$name" \
			"$srcdir/tests/bench/${source:-$name}.${suffix:-c}" "$@" \
			2>"$scratch/cc.err"
	fi || { echo "# no $name: $(head -n 1 "$scratch/cc.err" 2>/dev/null)"
		return 1; }
}

# A handler of ours, as a library to be preloaded.
compile_handler() {
	compile "$1-handler" -shared -fPIC "${@:2}"
}

# have COMMAND: false, with a word, where it is not installed.
have() {
	command -v "$1" >/dev/null || { echo "# no $1 here"; return 1; }
}

# perf may be there and refuse: another kernel's, or no permission.
have_perf() {
	have perf || return
	perf record -q -F 999 -g -o "$scratch/perf.try" true \
		>/dev/null 2>"$scratch/perf.err" && return
	echo "# perf refuses: $(grep . "$scratch/perf.err" | head -n 1)"
	return 1
}

# cpu_and_wall COMMAND…: leaves user+system and elapsed seconds of the command
# and all its children in $cpu and $wall; its output goes to $scratch/out.
cpu_and_wall() {
	local TIMEFORMAT='%U %S %R' times

	times=$({ time "$@" >"$scratch/out" 2>"$scratch/err" </dev/null; } 2>&1) ||
		{ cat "$scratch/err" >&2; exit 1; }
	read -r cpu wall < <(echo "$times" | awk '{ print $1 + $2, $3 }')
}

# report_value COLUMN DIRECTORY: of the summary.
report_value() {
	"$copse" report "$2" -f csv |
		awk -v columns="$1" -f "$srcdir/tests/lib/csv.awk"
}

# calculate EXPRESSION: a number.
calculate() {
	awk "BEGIN { printf \"%.6g\\n\", $1 }"
}

# median FILE: of the numbers in it, with the smallest and the largest.
median() {
	sort -g "$1" | awk '{ v[NR] = $1 } END {
		m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2
		printf "%.3f (%.3f to %.3f, n=%d)\n", m, v[1], v[NR], NR }'
}

# confidence FILE: the mean of paired differences, one a line, and its 95 %
# interval by Student's t; "-" for what cannot be said.
confidence() {
	awk '
	# The quantile 0.975: exact for few, then the Cornish-Fisher expansion.
	function quantile(n,    few, z) {
		split("12.706 4.303 3.182 2.776 2.571 2.447 2.365 2.306", few)
		z = 1.959964
		if (n <= 8)
			return few[n]
		return z + (z^3 + z) / (4 * n) + \
			(5 * z^5 + 16 * z^3 + 3 * z) / (96 * n^2)
	}
	{ n++; sum += $1; squares += $1^2 }
	END {
		if (n < 2) {
			print n ? sum " ± -" : "-"
			exit
		}
		spread = (squares - sum^2 / n) / (n - 1)
		spread = sqrt(spread > 0 ? spread : 0)
		printf "%.3f ± %.3f (95 %%, n=%d)\n", sum / n,
			quantile(n - 1) * spread / sqrt(n), n
	}' "$1"
}

machine() {
	echo "# $(date -u +%F), $(nproc --all) cores," \
		"$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)," \
		"Linux $(uname -r), load $(cut -d ' ' -f 1 /proc/loadavg)"
}
