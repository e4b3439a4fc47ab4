#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# regions.sh - what the threads of a parallel region do stands below the line
# that begins it, whichever way it begins; and the program computes the same.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99
CC=${CC:-cc}
export OMP_NUM_THREADS=2 OMP_CANCELLATION=true OMP_WAIT_POLICY=passive

# compiled CC FILE FLAG…: gcc's runtime is libgomp, clang's libomp.
compiled() {
	cc=$1 file=$2
	need "$cc"
	shift 2
	"$cc" -g -fopenmp -Wno-unknown-pragmas "$@" \
		"$srcdir/tests/programs/$file" -ldl -pthread 2>built.err ||
		skip "$cc has no OpenMP here"
}

# below PATTERN: of samples of functions "in_…", most are below a region, from
# main on.
below() {
	"$copse" report -f folded -m samples omp.copse >folded || return
	awk -v pattern="$1" '
		/;in_/ {
			all += $NF
			good += $0 ~ pattern ? $NF : 0
			if ($0 !~ pattern)
				bad[$0]
		}
		END {
			print good, "of", all, "samples"
			for (b in bad)
				print b
			exit !(all > 500 && good >= 0.995 * all)
		}' folded
}

# Each of the functions is there, with what both threads did.
each_is_there() {
	for way in $1; do
		awk -v name=";in_$way;*" '$0 ~ name { n += $NF }
			END { exit !(n >= 40) }' folded ||
			{ echo "too few samples of in_$way"; return 1; }
	done
}

ways='parallel static dynamic guided runtime sections reduction nested tasks
	taskloop cancelled thread'

# is_complete CC FLAG…
is_complete() {
	cc=$1
	shift
	rm -f folded
	compiled "$cc" regions-late.c "$@" -shared -fPIC -o ./late.so
	compiled "$cc" regions.c "$@" -o ./omp
	./omp ./late.so 0.001 >without || return # the same, whatever it takes
	rm -rf omp.copse
	"$copse" run -q -o omp.copse ./omp ./late.so >with || return
	diff without with &&
		below '(main|^thread);(.*;)?\[parallel regions(-late)?.c:[0-9]+\];' &&
		each_is_there "$ways late"
}

# The call of a function's second region has the line of the first.
lines_are_told() {
	[ -e folded ] || skip "there was no run"
	"$copse" report tree -n 0 -f csv omp.copse >tree || return
	for line in $(grep -n 'omp parallel for' \
		"$srcdir/tests/programs/regions.c" | cut -d : -f 1); do
		grep -q "\[parallel regions.c:$line\]" tree ||
			{ echo "nothing of line $line"; cat tree; return 1; }
	done
}

waiting_is_told() {
	cat >wait.c <<'C'
#include <omp.h>
#include "known.h"
static KEPT void in_region(double s) { work_for(s); }
static KEPT void alone(double s) { work_for(s); }
int main(void)
{
	for (int i = 0; i < 10; i++) {
#pragma omp parallel num_threads(2)
		in_region(omp_get_thread_num() ? 0.01 : 0.04);
		alone(0.03);
	}
	usage();
	return 0;
}
C
	need "$1"
	"$1" -O1 -g -fopenmp -I "$srcdir/tests/programs" wait.c -o wait ||
		skip "$1 has no OpenMP here"
	rm -rf omp.copse
	# libomp would give a core away that others want.
	KMP_USE_YIELD=0 OMP_WAIT_POLICY=active "$copse" run -q -o omp.copse ./wait || return
	"$copse" report -f folded -m samples omp.copse >folded || return
	cat folded
	awk '
		/\[parallel wait.c:.*;\[OpenMP waiting\]/ { inside += $NF; next }
		/\[OpenMP idle\]/ { outside += $NF }
		END { exit !(inside >= 50 && outside >= 50) }' folded
}

# gcc gives the call that begins a region, or makes a task, to what was inlined
# beside that; the symbol of its code tells the function.
inlined() {
	cat >inlined.c <<'C'
#include <math.h>
#include <stdlib.h>
static double *x, *f, *v;
static int n = 4000;
static void forces(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < n; i++) {
		double s = 0;
		for (int j = 0; j < 400; j++) {
			double d = x[i] - x[(i + j * 7) % n];
			s += 1 / (d * d + 0.01);
		}
		f[i] = s;
	}
}
static void neighbours(int step)
{
	if (step % 10)
		return;
	for (int k = 0; k < 3; k++)
		for (int i = 0; i < n; i++)
			v[i] += 1e-9 * sin(x[i] * k);
}
static inline __attribute__((always_inline)) void energy(int from)
{
#pragma omp task
	for (int i = from; i < n; i += 4)
		for (int j = 0; j < 400; j++)
			v[i] += 1e-9 / (1 + x[(i + j * 7) % n]);
}
static void move(void)
{
	for (int i = 0; i < n; i++) {
		v[i] += 1e-6 * f[i];
		x[i] += 1e-4 * v[i];
	}
}
static void report(int step)
{
	if (step % 50)
		return;
	for (int i = 0; i < n; i++)
		if (x[i] > 1e6)
			abort();
}
int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 60;

	x = calloc(n, 8);
	f = calloc(n, 8);
	v = calloc(n, 8);
	for (int i = 0; i < n; i++)
		x[i] = (i * 7919L % n) * 1.0 / n;
	for (int s = 1; s <= steps; s++) {
		forces();
		neighbours(s);
		move();
		report(s);
	}
#pragma omp parallel
#pragma omp single
	for (int s = 1; s <= 60; s++) {
		for (int i = 0; i < 4; i++)
			energy(i);
#pragma omp taskwait
		neighbours(s);
	}
	return !(f[3] + v[4] > 0);
}
C
	gcc -O3 -g -fopenmp inlined.c -o inlined -lm || return
	rm -rf omp.copse
	"$copse" run -q -o omp.copse ./inlined || return
	"$copse" report tree -n 0 -f csv omp.copse >tree &&
		"$copse" report loops -n 0 -f csv omp.copse >loops || return
	cat tree loops
	awk -F , '
		{ above[$1] = $2 } # the function, by depth
		/\[parallel inlined.c:7\]/ { forces = above[$1 - 1] }
		/\[task inlined.c:/ { energy = above[$1 - 1] }
		END { exit forces != "forces" || energy != "energy" }' tree &&
		grep -q '^forces \[parallel\],' loops &&
		grep -q '^energy \[parallel\],' loops
}

is_off() {
	[ -e omp ] || skip "there was no run"
	rm -rf omp.copse
	"$copse" run -q --openmp=off -o omp.copse ./omp >with || return
	"$copse" report -f folded -m samples omp.copse >folded || return
	! grep '\[parallel regions' folded && ! "$copse" run -q --openmp=off \
		sh -c 'echo $LD_PRELOAD' | grep copse-openmp
}

# Copies of libgomp: each library has to be answered by its own.
copies() {
	need gcc patchelf
	gomp=$(gcc -print-file-name=libgomp.so.1)
	compiled gcc regions-late.c -O2 -fPIC -c -o late.o
	for n in 1 2; do
		cp "$(realpath "$gomp")" "libgomp-copy$n.so" &&
			patchelf --set-soname "libgomp-copy$n.so" \
				"libgomp-copy$n.so" &&
			gcc -shared "$@" -o "late$n.so" late.o \
				"./libgomp-copy$n.so" -Wl,-rpath,"$PWD" || return
	done
	gcc -o copies "$srcdir/tests/programs/copies.c" -ldl || return
	./copies ./late1.so ./late2.so >without || return
	rm -rf omp.copse
	"$copse" run -q -o omp.copse ./copies ./late1.so ./late2.so >with
	is=$?
	cat without with
	[ $is = 0 ] && diff without with
}

# All is looked up before the first call, or at it.
copies_now() {
	copies -Wl,-z,now
}
copies_lazy() {
	copies -Wl,-z,lazy
}

fortran() {
	need gfortran
	cat >loop.f90 <<'F'
program loop
  use omp_lib
  implicit none
  integer :: i
  real(8) :: s
  s = 0
  !$omp parallel do schedule(dynamic) reduction(+:s)
  do i = 1, 64
     call in_loop(i, s)
  end do
  !$omp end parallel do
  call ends_with_one(s)
  print '(f12.3)', s / 64
contains
  subroutine ends_with_one(s)
    real(8), intent(inout) :: s
    integer :: i
    !$omp parallel do reduction(+:s)
    do i = 1, 64
       call in_loop(i, s)
    end do
  end subroutine
  subroutine in_loop(i, s)
    integer, intent(in) :: i
    real(8), intent(inout) :: s
    integer :: k
    real(8) :: x
    x = i
    do k = 1, 1000000
       x = x * 0.999999d0 + 1d0
    end do
    s = s + x
  end subroutine
end program
F
	gfortran -g "$1" -fno-inline -fopenmp loop.f90 -o loop ||
		skip "gfortran has no OpenMP here"
	./loop >without || return
	rm -rf loop.copse
	"$copse" run -q -o loop.copse ./loop >with || return
	diff without with || return
	"$copse" report -f folded -m samples loop.copse >loops || return
	sed 's/loop::in_loop/in_loop/' loops >plain
	awk '/in_loop/ { all += $NF
			good += /main;.*\[parallel loop.f90:(7|18)\];/ ? $NF : 0
			late += /\[parallel loop.f90:18\];/ ? $NF : 0 }
		END { print good, "of", all, "and", late
			exit !(late > 50 && good >= 0.995 * all) }' plain
}

# tail_calls CC LEVEL: functions whose last act is a region, which may be gone
# then: of LLVM's runtime their caller is known, and the region.
tail_calls() {
	need "$1"
	cat >tail.c <<'C'
#include <omp.h>
#include "known.h"
static KEPT void in_region(void) { work_for(0.02); }
static KEPT void without(void)
{
#pragma omp parallel num_threads(2)
	in_region();
}
static KEPT void with(int n)
{
#pragma omp parallel for num_threads(2)
	for (int i = 0; i < n; i++)
		in_region();
}
static KEPT void twice(void) { work_for(0.001); without(); }
static KEPT void nested(void)
{
#pragma omp parallel num_threads(2)
	without();
}
int main(void)
{
	omp_set_max_active_levels(2);
	for (int i = 0; i < 5; i++) {
		without();
		with(4);
		twice();
		nested();
	}
	return 0;
}
C
	"$1" "$2" -g -fopenmp -Wno-unknown-attributes \
		-I "$srcdir/tests/programs" tail.c -o tail ||
		skip "$1 has no OpenMP here"
	rm -rf omp.copse
	"$copse" run -q -o omp.copse ./tail || return
	below '^main;(.*;)?\[parallel( tail.c:[0-9]+)?\];(.*;)?in_region'
}

# Locks of a runtime that is neither of the two, and has no more than a program
# calls: it goes on as without copse.
other_runtime() {
	cat >stub.c <<'C'
void omp_set_lock(int *lock) { *lock = 1; }
void omp_unset_lock(int *lock) { *lock = 0; }
C
	cat >locks.c <<'C'
#include <stdio.h>
void omp_set_lock(int *);
void omp_unset_lock(int *);
int main(void)
{
	int lock = 0, held = 0;

	for (int i = 0; i < 1000; i++) {
		omp_set_lock(&lock);
		held += lock;
		omp_unset_lock(&lock);
	}
	printf("%d %d\n", held, lock);
	return 0;
}
C
	"$CC" -shared -fPIC stub.c -o libstub.so &&
		"$CC" locks.c -L. -lstub -Wl,-rpath,"$PWD" -o locks || return
	./locks >without || return
	rm -rf locks.copse
	"$copse" run -q --no-report -o locks.copse ./locks >with || return
	diff without with
}

for cc in clang gcc; do
	for level in -O0 -O2 -O3; do
		point "$cc $level: complete paths through regions" \
			is_complete $cc $level
	done
	point "$cc: regions of one function are told apart" lines_are_told
	point "$cc: at the end of a region, and between two" waiting_is_told $cc
	for level in -O0 -O2 -O3; do
		point "$cc $level: functions that end with a region" \
			tail_calls $cc $level
	done
done
point "gcc: regions of inlined functions, and their loops" inlined
for level in -O0 -O2 -O3; do
	point "gfortran $level: complete paths" fortran $level
done
point "it can be switched off" is_off
point "locks of another runtime" other_runtime
point "several copies of libgomp, bound at once" copies_now
point "several copies of libgomp, bound when called" copies_lazy
points_done
