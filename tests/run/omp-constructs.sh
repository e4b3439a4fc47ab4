#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# omp-constructs.sh - programs with every construct of OpenMP that the compilers
# here know compute the same with copse, at 10,000 samples a second.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99
export OMP_WAIT_POLICY=passive

# same CANCEL PROGRAM ARGUMENT…: with each of the settings it has other ways.
same() {
	cancels=$1
	shift
	for cancel in $cancels; do
		export OMP_CANCELLATION=$cancel
		for threads in 1 4; do
			export OMP_NUM_THREADS=$threads
			timeout 300 "$@" >without 2>&1 ||
				{ echo "plain: status $?"; tail without; return 1; }
			rm -rf same.copse
			timeout 300 "$copse" run -q --budget 0 -e cpu@10000 \
				-o same.copse "$@" >with 2>&1 ||
				{ echo "copse: status $?"; tail with; return 1; }
			diff without with || return
		done
	done
	wc -l <without
}

# constructs CC FLAG…
constructs() {
	need "$1"
	"$@" -g -fopenmp -Wno-unknown-pragmas -o constructs \
		"$srcdir/tests/programs/omp-constructs.c" -lm 2>built.err ||
		{ cat built.err; skip "$1 has no OpenMP 5.0 here"; }
	# LLVM 14 hangs or aborts in one of ten runs that cancel, by itself.
	case $1 in
	clang) cancels=false ;;
	*) cancels='true false' ;;
	esac
	same "$cancels" ./constructs 8 && grep -q '^settings 344' with
}

fortran_constructs() {
	need gfortran
	cat >constructs.f90 <<'F'
module state
  implicit none
  integer :: kept = 0
  !$omp threadprivate(kept)
contains
  recursive integer function fibonacci(n) result(is)
    integer, intent(in) :: n
    integer :: a, b
    if (n < 2) then
       is = n
       return
    end if
    !$omp task shared(a) firstprivate(n)
    a = fibonacci(n - 1)
    !$omp end task
    !$omp task shared(b) firstprivate(n)
    b = fibonacci(n - 2)
    !$omp end task
    !$omp taskwait
    is = a + b
  end function
end module
program constructs
  use omp_lib
  use state
  implicit none
  integer, parameter :: n = 400
  integer :: i, j, k, sum, order, last, named, locked, nested, chain(0:n)
  integer(omp_lock_kind) :: lock
  integer(omp_nest_lock_kind) :: nest
  real(8) :: a(n), b(n)
  do k = 1, 8
     sum = 0; order = 0; last = 0; chain = 1
     named = 0; locked = 0; nested = 0
     call omp_init_lock(lock)
     call omp_init_nest_lock(nest)
     kept = 4
     !$omp parallel num_threads(3) copyin(kept) reduction(+:sum)
     kept = kept + omp_get_thread_num()
     sum = sum + kept
     !$omp do schedule(dynamic, 3) lastprivate(last)
     do i = 1, n
        sum = sum + i
        last = i
     end do
     !$omp do ordered
     do i = 1, 30
        !$omp ordered
        order = mod(order * 3 + i, 10007)
        !$omp end ordered
     end do
     !$omp critical (section)
     named = named + 1
     !$omp end critical (section)
     call omp_set_lock(lock)
     locked = locked + 10
     call omp_unset_lock(lock)
     call omp_set_nest_lock(nest)
     call omp_set_nest_lock(nest)
     nested = nested + 100
     call omp_unset_nest_lock(nest)
     call omp_unset_nest_lock(nest)
     !$omp barrier
     !$omp single
     sum = sum + fibonacci(12)
     !$omp end single
     !$omp workshare
     a = 1.5d0
     b = a * 2
     !$omp end workshare
     !$omp single
     do i = 1, n
        !$omp task depend(in: chain(i - 1)) depend(out: chain(i)) firstprivate(i)
        chain(i) = mod(chain(i - 1) * 3 + i, 10007)
        !$omp end task
     end do
     !$omp taskgroup
     !$omp taskloop grainsize(7)
     do i = 1, n
        b(i) = b(i) + i
     end do
     !$omp end taskgroup
     !$omp end single
     !$omp sections
     !$omp section
     a(1) = 7
     !$omp section
     a(2) = 9
     !$omp end sections
     !$omp end parallel
     j = 0
     !$omp parallel do collapse(2) reduction(max:j) num_threads(3)
     do i = 1, 20
        do last = 1, 20
           j = max(j, mod(i * last, 113))
        end do
     end do
     call omp_destroy_lock(lock)
     call omp_destroy_nest_lock(nest)
  end do
  named = named + locked + nested
  print '(6i9)', sum, order, named, chain(n), j, nint(a(1) + a(2) + b(n))
end program
F
	gfortran "$1" -g -fopenmp constructs.f90 -o fortran ||
		skip "gfortran has no OpenMP here"
	same 'true false' ./fortran
}

for cc in gcc clang; do
	point "$cc -O2: all constructs compute the same" constructs $cc -O2
	point "$cc -O0: all constructs compute the same" constructs $cc -O0
done
point "gfortran -O2: its constructs compute the same" fortran_constructs -O2
points_done
