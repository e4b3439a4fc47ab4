#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lock-safety.sh - programs with locks print and end with --locks=on as they do
# alone, at 10,000 samples per second: locks that others stand in front of too,
# of other versions, before main() and behind it.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99
CC=${CC:-cc}
CXX=${CXX:-c++}
sources=$srcdir/tests/programs
hangs=600 # seconds: much more than any takes where others have the cores

measured() {
	rm -rf safe.copse
	timeout -k 10 $hangs "$copse" run -q --locks=on -e cpu@10000 \
		-o safe.copse "$@"
}

# same COMMAND…: with copse as without.
same() {
	timeout -k 10 $hangs "$@" >without 2>&1
	status=$?
	cat without
	[ $status = 0 ] || return
	measured "$@" >with 2>&1
	is=$?
	[ $is = 0 ] || { echo "status $is"; cat with; return 1; }
	diff without with
}

# knows LOCK: one of that name was waited for.
knows() {
	"$copse" report threads -n 0 -f csv --table locks safe.copse >rows || return
	grep -q "^\[$1" rows || { cat rows; return 1; }
}

old_conditions() {
	"$CC" -O2 -g "$sources/lock-old.c" -o old -pthread || return
	same ./old && grep 'turn 4000, late 110' with
}

build_kinds() {
	need "$CXX"
	"$CC" -O2 -g -shared -fPIC "$sources/lock-comes.c" -o comes.so \
		-pthread || return
	"$CXX" -O2 -g -std=c++20 "$sources/lock-kinds.cc" -o kinds -pthread \
		-ldl 2>errors || skip "no C++20 here: $(head -n 1 errors)"
}

cxx_kinds() {
	build_kinds
	same ./kinds ./comes.so && knows mutex
}

# with_allocator LIBRARY: its own locks are pthread's.
with_allocator() {
	[ -e kinds ] || skip "there is no program"
	ldconfig -p | grep -q "$1 " || skip "no $1 here"
	same env LD_PRELOAD="$1" ./kinds ./comes.so
}

fortran_units() {
	need gfortran
	gfortran -O2 -g -fopenmp "$sources/lock-units.f90" -o units || return
	export OMP_NUM_THREADS=4
	same ./units && sort -n units.out >lines &&
		seq -f %8.0f 4000 | diff - lines
}

# stressor NAME: it finds nothing wrong, alone and with copse.
stressor() {
	need stress-ng
	set -- stress-ng --temp-path . --"$1" 2 --timeout 2 --verify
	timeout -k 10 $hangs "$@" >alone 2>&1 ||
		skip "stress-ng fails here without copse"
	measured "$@" >with 2>&1 || { cat with; return 1; }
	cat with
	grep -q 'successful run completed' with && ! grep 'fail:' with
}

point "conditions of the old version" old_conditions
point "C++20: all kinds, before main and behind it" cxx_kinds
point "the same with jemalloc" with_allocator libjemalloc.so.2
point "the same with tcmalloc" with_allocator libtcmalloc_minimal.so.4
point "Fortran: units and critical sections" fortran_units
for name in pthread mutex sem futex; do
	point "stress-ng's $name" stressor $name
done
points_done
