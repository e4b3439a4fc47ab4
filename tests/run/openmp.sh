#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# openmp.sh - threads that wait in an OpenMP runtime are seen to wait: what the
# program did is known, and the rest of its CPU time is the runtime's.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99
CC=${CC:-cc}
export OMP_WAIT_POLICY=active # spin

# built NAME COMPILER FLAG…
built() {
	to=$1
	shift
	need "$1"
	"$@" -g -O1 -fopenmp -Wno-unknown-attributes \
		-o "$to" "$srcdir/tests/programs/openmp.c" 2>built.err ||
		skip "$1 has no OpenMP here"
}

truth() { # NAME
	awk -v name="$1" '$1 == "truth" && $2 == name { print $3 }' out
}

usage() {
	awk '$1 == "usage" { print $2 }' out
}

# seconds FUNCTION: exclusive.
seconds() {
	"$copse" report hotspots -n 0 -f csv omp.copse |
		awk -v columns='function exclusive' -f "$srcdir/tests/lib/csv.awk" |
		awk -v name="$1" 'index($0, name) == 1 { s += $NF }
			END { print s + 0 }'
}

# Of all CPU time, some may be elsewhere; and there may be 250 samples a second,
# where threads switch all the time.
is_known() {
	near "$1" "$2" "$(awk -v u="$(usage)" -v t="$2" \
		'BEGIN { print 0.05 * u + 2 * sqrt(t / 250) }')"
}

# spins K COMPILER FLAG…: work is work, and waiting is what is left.
spins() {
	more=$1
	shift
	built omp "$@"
	rm -rf omp.copse
	"$copse" run -q -o omp.copse ./omp "$more" >out || return
	waited=$(awk -v u="$(usage)" -v s="$(truth serial)" \
		-v t="$(truth team)" 'BEGIN { print u - s - t }')
	cat out
	"$copse" report hotspots omp.copse
	is_known "$(seconds serial)" "$(truth serial)" &&
		is_known "$(seconds team)" "$(truth team)" &&
		is_known "$(awk -v a="$(seconds '[OpenMP waiting]')" \
			-v b="$(seconds '[OpenMP idle]')" 'BEGIN { print a + b }')" \
			"$waited"
}

# No advice about symbols, a sentence instead.
is_said() {
	[ -e omp.copse ] || skip "there was no run"
	"$copse" report omp.copse >said || return
	cat said
	grep -E 'waited in the OpenMP runtime|waiting in OpenMP' said && ! grep 'without a name' said
}

# LLVM's threads yield where others want the core: there is little to say then.
is_named() {
	[ -e omp.copse ] || skip "there was no run"
	"$copse" report omp.copse >said || return
	cat said
	! grep 'without a name' said
}

# The file says so to other programs.
is_data() {
	[ -e omp.copse ] || skip "there was no run"
	"$copse" export nodes omp.copse | grep -E ',openmp,.*OpenMP (waiting|idle)' >rows &&
		[ -s rows ]
}

# factor NAME EXPECTED
factor() {
	is=$("$copse" report efficiency -f json omp.copse |
		sed -n "s/.*\"$1\": \([0-9.]*\).*/\1/p")
	echo "$1 $is, not far from $2"
	near "$is" "$2" 0.01
}

# of_stamps EXPRESSION: of how long the program was in all (a) and in regions
# (i), two threads inside and one outside, and what both did there (p).
of_stamps() {
	awk -v a="$(truth outside)" -v i="$(truth inside)" \
		-v p="$(truth parts)" "BEGIN { print $1 }"
}

hybrid() {
	built omp "${MPICC:-mpicc}" -DWITH_MPI
	rm -rf omp.copse
	mpirun -n 1 "$copse" run -q -o omp.copse ./omp 3 >out ||
		return
	"$copse" report efficiency omp.copse | tee said
	factor serial_efficiency "$(of_stamps '(a + i) / (2 * a)')" &&
		factor region_efficiency \
			"$(of_stamps '(a - i + p) / (a + i)')" &&
		factor thread_efficiency \
			"$(of_stamps '(a - i + p) / (2 * a)')" &&
		grep -qE '^• (Serial parts|Parallel regions) [0-9]+ %: threads' said
}

# Also where others have the cores: the program's stamps know.
efficiency() {
	[ -d omp.copse ] || skip "not measured"
	factor openmp_efficiency "$(of_stamps '(a - i + p) / (2 * a)')"
}

# Workers without work spin in the runtime, which is no hot path.
no_hot_path() {
	[ -d omp.copse ] || skip "not measured"
	"$copse" report omp.copse | sed -n '/^hot paths/,/^$/p' >hot
	cat hot
	grep -q 'parallel' hot && ! grep -qE 'lib(g|i)?omp|waiting' hot
}

point "gcc: one has three times the work" spins 3 "$CC"
point "it is said, without advice on symbols" is_said
point "it is in the database" is_data
point "gcc: as much for both, and a stretch alone" spins 1 "$CC"
point "who waits for work is no hot path" no_hot_path
point "clang: one has three times the work" spins 3 clang
point "without advice on symbols" is_named
point "clang: as much for both, and a stretch alone" spins 1 clang
point "hybrid efficiency, by stamps" hybrid
point "parallel efficiency counts it" efficiency
points_done
