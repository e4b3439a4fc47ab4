#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# scaling.sh - two runs of programs that say how their time grows with the
# ranks: the factors, and the call paths that lost it.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99
: >truths

# runs NAME PROGRAM…: NAME-2.copse and NAME-4.copse.
runs() {
	[ -x "$programs/$2" ] || skip "no MPI compiler"
	need mpirun
	name=$1 program=$2
	shift 2
	for ranks in 2 4; do
		rm -rf "$name-$ranks.copse"
		mpirun -n $ranks "$copse" run --quiet -o "$name-$ranks.copse" \
			"$programs/$program" "$@" >"$name-$ranks.out" 2>&1 ||
			{ cat "$name-$ranks.out"; return 1; }
	done
}

# is TABLE OPTION…: a table of the report is like standard input.
is() {
	table=$1
	shift
	cat >want
	"$copse" report scaling "$@" -f csv --table "$table" >found || return 1
	awk -v truths=truths -f "$srcdir/tests/lib/expect.awk" want found &&
		return
	cat truths found
	return 1
}

# useful RANKS: seconds outside of MPI, by the programs' own clocks.
useful() {
	awk '$1 == "truth" && $2 ~ /^useful/ { sum += $3 } END { print sum }' \
		"time-$1.out"
}

# On n ranks 0.1 s more each for one more rank: 0.5 s on 2, 1.4 s on 4.
factors() {
	runs time mpi-phases || return
	two=$(useful 2) four=$(useful 4)
	printf 'truth %s\n' "two $two" "four $four" \
		"scaling $(awk -v a="$two" -v b="$four" 'BEGIN { print a / b }')" \
		>truths
	is runs time-2.copse time-4.copse <<-EOF
	run,ranks,speedup,computation_scaling,useful,lost
	time-2.copse,2,1,1,{two-0.005..two+0.06},0
	time-4.copse,4,{*},{0.95*scaling..1.1*scaling},{four-0.005..four+0.12},{*}
	EOF
}

weak() {
	is runs time-2.copse time-4.copse --weak <<-EOF
	run,ranks,computation_scaling
	time-2.copse,2,1
	time-4.copse,4,{1.9*scaling..2.2*scaling}
	EOF
}

# 0.3 s of CPU time on 2 ranks, 1.0 s on 4: so much is exact on any machine.
paths() {
	runs cpu mpi-skew 0.1 || return
	is lost cpu-2.copse cpu-4.copse <<-EOF
	any order
	run,ranks,call_path,kind,expected,seconds,lost
	cpu-4.copse,4,work ← main,compute,{0.27..0.33},{0.93..1.05},{0.63..0.77}
	EOF
}

# The same program twice is no scaling, and says so by numbers.
same() {
	is runs cpu-2.copse cpu-2.copse/run.h5 <<-EOF
	run,ranks,speedup,computation_scaling,lost
	cpu-2.copse,2,1,1,0
	cpu-2.copse/run.h5,2,1,1,0
	EOF
}

refuses() {
	"$copse" report scaling cpu-2.copse 2>said && return 1
	grep -q 'two profiles or more' said || { cat said; return 1; }
	"$copse" report summary cpu-2.copse cpu-4.copse 2>said && return 1
	grep -q 'one profile at a time' said || { cat said; return 1; }
	"$copse" report scaling cpu-2.copse cpu-4.copse -m mpi.calls 2>said &&
		return 1
	grep -q 'compares times' said || { cat said; return 1; }
}

# Strong unless told otherwise.
assumes() {
	"$copse" report scaling cpu-2.copse cpu-4.copse >said || return 1
	grep -q 'Strong scaling' said || { cat said; return 1; }
	"$copse" report scaling cpu-2.copse cpu-4.copse --weak >said || return 1
	grep -q 'Weak scaling' said || { cat said; return 1; }
}

point "computation scaling is what the program made it" factors
point "weak scaling lets the work grow" weak
point "the path that took longer is named, in seconds" paths
point "a run against itself lost nothing" same
point "one run, or a metric that is no time, is refused" refuses
point "the report says what is assumed" assumes
points_done
