#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# heap.sh - who allocated how much memory, by copse run --heap=on: sums, what is
# live at the peak and at the end, what grows; with other allocators, in other
# languages; and nothing of it without.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99
CC=${CC:-cc}
CXX=${CXX:-c++}
programs=$builddir/tests/programs

# run_with OPTION… COMMAND…
run_with() {
	rm -rf heap.copse
	"$copse" run -q -o heap.copse "$@"
}

# The table of the last run.
rows() {
	"$copse" report memory -n 0 -f csv --table allocations heap.copse >rows.csv ||
		return
	cat rows.csv
}

# judge: truths against rows.csv, by the margins that it says.
judge() {
	awk -F '[ ,]' '
		function off(is, is_true, margin) {
			return (is > is_true ? is - is_true : is_true - is) / (margin + 1)
		}
		NR == FNR {
			if ($1 == "truth" && NF == 6) {
				bytes[$2] = $3; blocks[$2] = $4
				peak[$2] = $5; left[$2] = $6
			}
			next
		}
		FNR == 1 {
			n = split($0, title, ",")
			for (i = 1; i <= n; i++)
				column[title[i]] = i
			next
		}
		{
			split($0, c, ",")
			name = $1
			if (!(name in bytes))
				next
			seen++
			# 1.96 sigmas are the margin, so 1.55 are three of them.
			# Of blocks of one size, bytes and blocks are one draw.
			some = off(c[column["allocated"]], bytes[name], c[column["allocated_margin"]])
			many = off(c[column["allocations"]], blocks[name], c[column["allocations_margin"]])
			most = off(c[column["at_peak"]], peak[name], c[column["at_peak_margin"]] + 20000)
			rest = off(c[column["leaked"]], left[name], c[column["leaked_margin"]])
			print name, some, many, most, rest
			wrong += some > 1.55 || many > 1.55
			wrong += most > 1.55
			wrong += rest > 1.55
			wrong += left[name] == 0 && c[column["leaked"]] > 0
		}
		END { print seen, "seen,", wrong + 0, "wrong"
			exit !(seen >= 7 && wrong <= 1) }' "$1" rows.csv
}

sums_are_told() {
	run_with --heap=on --budget 0 "$programs/heap-patterns" 1 >truth || return
	cat truth
	rows && judge truth
}

# In steps of the program: within a tenth alone (tests/bench/heap.sh), and not as
# well where others take the cores for some of them.
growth_is_told() {
	[ -e heap.copse ] || skip "there was no run"
	awk -F '[ ,]' '
		NR == FNR { if ($2 == "grows") step = $3; next }
		FNR == 1 { n = split($0, t, ",")
			for (i = 1; i <= n; i++) if (t[i] == "iteration") at = i }
		{ split($0, c, ",") }
		FNR > 1 && $1 != "grows_slowly" && c[at] > 0 { print; invented++ }
		$1 == "grows_slowly" { is = c[at]; print is, "of", step }
		END { exit !(step > 0 && is > 0.7 * step && is < 1.3 * step && !invented) }
	' truth rows.csv || return
	"$copse" report diagnose heap.copse >diagnosis || return
	tr -s ' \n' ' ' <diagnosis | tee said
	grep -q 'Memory grows by [0-9.]* [KM]iB each iteration on process [0-9]*, allocated in grows_slowly' said
}

peak_is_told() {
	[ -e rows.csv ] || skip "there was no run"
	sed -n 2p rows.csv | grep '^large_blocks'
}

tree_is_one() {
	[ -e heap.copse ] || skip "there was no run"
	"$copse" report -f folded -m heap.allocated heap.copse >folded || return
	cat folded
	grep -q '^main;large_blocks 167772160$' folded || return
	"$copse" report hotspots -m heap.peak heap.copse >hot && cat hot &&
		grep -q large_blocks hot
}

pprof_has_names() {
	[ -e heap.copse ] || skip "there was no run"
	"$copse" export pprof heap.copse -o heap.pb.gz || return
	for name in alloc_space alloc_objects inuse_space inuse_objects; do
		gzip -dc heap.pb.gz | grep -aq $name || { echo $name; return 1; }
	done
}

is_off() {
	# shellcheck disable=SC2016 # for the shell that is measured
	! run_with sh -c 'echo $LD_PRELOAD' | grep copse-heap || return
	run_with "$programs/heap-patterns" 0.1 >/dev/null || return
	[ -z "$("$copse" report memory -f csv --table allocations heap.copse 2>/dev/null)" ]
}

# The same sums with another allocator in front of the C library's.
with_allocator() {
	library=$(ldconfig -p | awk -v n="$1" 'index($1, n) == 1 { print $NF; exit }')
	[ -n "$library" ] || skip "no $1"
	LD_PRELOAD=$library run_with --heap=on "$programs/heap-patterns" 0.5 \
		>truth || return
	rows && judge truth
}

# Also with allocators whose operators do not call malloc().
cxx_is_counted_once() {
	"$CXX" -O2 -g -x c++ - -o plus <<'C' || skip "no C++ compiler"
#include <cstdio>
#include <vector>
__attribute__((noinline)) void fills(std::vector<double *> &v)
{
	for (int i = 0; i < 40000; i++)
		v.push_back(new double[50]);
}
int main()
{
	std::vector<double *> v;
	v.reserve(40000);
	fills(v);
	for (double *p : v)
		delete[] p;
	std::printf("truth fills %d 40000 16000000 0\n", 16000000);
}
C
	for library in "" libjemalloc.so libtcmalloc_minimal.so libmimalloc.so; do
		[ -z "$library" ] ||
			library=$(ldconfig -p | awk -v n="$library" '
				index($1, n) == 1 { print $NF; exit }')
		LD_PRELOAD=$library run_with --heap=on ./plus >truth || return
		rows || return
		awk -F '[ ,]' 'NR == FNR { t = $3; next }
			$1 ~ /^fills/ { split($0, c, ","); ok = c[6] > 0.8 * t && c[6] < 1.2 * t && c[11] == 0 }
			END { exit !ok }' truth rows.csv || return
	done
}

python_is_told() {
	python3 -c 1 2>/dev/null || skip "no Python"
	cat >lists.py <<'P'
def keeps(n):
    return [bytes(10000) for i in range(n)]
kept = keeps(3000)
print(sum(len(k) for k in kept))
P
	[ "$(run_with --heap=on python3 lists.py)" = 30000000 ] || return
	rows || return
	awk -F, '/keeps/ { all += $2; print } END { exit !(all > 25e6 && all < 35e6) }' rows.csv
}

# 200 arrays of 800,000 bytes are freed, one of 8,000,000 is kept.
fortran_is_told() {
	need gfortran
	cat >grids.f90 <<'F'
module grids
contains
subroutine fills()
  real(8), allocatable :: a(:)
  integer :: i
  do i = 1, 200
    allocate(a(100000))
    a = i
    if (sum(a) < 0) stop 1
    deallocate(a)
  end do
end subroutine
subroutine keeps(p)
  real(8), pointer, intent(out) :: p(:)
  allocate(p(1000000))
  p = 1
end subroutine
end module
program arrays
  use grids
  real(8), pointer :: p(:)
  call fills()
  call keeps(p)
end program
F
	gfortran -g -O1 grids.f90 -o grids && run_with --heap=on ./grids && rows ||
		return
	awk -F, 'FNR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		function near(is, all) { return is > 0.99 * all && is < 1.01 * all }
		$1 ~ /^grids::fills/ { good += near($c["allocated"], 16e7) &&
			$c["allocations"] == 200 && $c["leaked"] == 0 }
		$1 ~ /^grids::keeps/ { good += near($c["allocated"], 8e6) &&
			near($c["leaked"], 8e6) && near($c["at_peak"], 8e6) }
		END { exit good != 2 }' rows.csv
}

# Each of two ranks takes 40 MiB, and gives 30 back.
mpi_memory_is_told() {
	need mpirun mpicc
	cat >taken.c <<'C'
#include <mpi.h>
#include <string.h>
__attribute__((noinline)) static void takes(void)
{
	void *at[40];

	for (int i = 0; i < 40; i++) {
		MPI_Alloc_mem(1 << 20, MPI_INFO_NULL, &at[i]);
		memset(at[i], 1, 1 << 20);
	}
	for (int i = 0; i < 30; i++)
		MPI_Free_mem(at[i]);
}
int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	takes();
	return MPI_Finalize();
}
C
	mpicc -g -O1 taken.c -o taken || return
	rm -rf heap.copse
	mpirun -n 2 "$copse" run -q --no-report --heap=on -o heap.copse ./taken &&
		rows || return
	awk -F, 'FNR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		function near(is, all) { return is > 0.99 * all && is < 1.01 * all }
		$1 ~ /^MPI_Alloc_mem ← takes/ { good = near($c["allocated"], 2 * 40 * 1048576) &&
			near($c["leaked"], 2 * 10 * 1048576) }
		END { exit !good }' rows.csv
}

threads_and_forks() {
	"$CC" -O2 -g -pthread -x c - -o many <<'C' || return
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static void *in_thread(void *to)
{
	for (int i = 0; i < 4000; i++)
		((void **)to)[i] = strdup("sixteen bytes...");
	return NULL;
}
__attribute__((noinline)) static void in_child(void)
{
	for (int i = 0; i < 100; i++)
		free(memset(malloc(100000), 1, 100000));
	sleep(1);
}
int main(void)
{
	static void *blocks[4][40000];
	pthread_t thread;
	int status;

	for (int i = 0; i < 40; i++) {
		for (int t = 0; t < 4; t++) {
			pthread_create(&thread, NULL, in_thread, blocks[t]);
			pthread_join(thread, NULL);
			for (int k = 0; k < 4000; k++)
				free(blocks[t][k]);
		}
	}
	if (!fork()) {
		in_child();
		_exit(0);
	}
	wait(&status);
	return status ? 1 : 7;
}
C
	run_with --heap=on ./many
	[ $? = 7 ] || return
	rows || return
	# 160 threads of 68,000 bytes.
	awk -F, '$1 ~ /in_thread/ { a += $6 } $1 ~ /in_child/ { c = $6; left = $11 }
		$1 ~ /in_thread/ { l += $11 }
		END { print a, c; exit !(a > 8e6 && a < 14e6 && c > 6e6 && c < 14e6 && l == 0 && left == 0) }' rows.csv
}

# 50,000 blocks, of which 42,000 are drawn: 32,768 are known at most.
more_than_are_known() {
	"$CC" -O2 -g -x c - -o crowd <<'C' || return
#include <stdlib.h>
static void *blocks[50000];
__attribute__((noinline)) static void crowds(void)
{
	for (int i = 0; i < 50000; i++)
		blocks[i] = malloc(120000);
}
int main(void)
{
	crowds();
	for (int i = 0; i < 50000; i += 2)
		free(blocks[i]);
	return 7;
}
C
	run_with --heap=on --budget 0 ./crowd
	[ $? = 7 ] || return
	rows || return
	"$copse" report measurement heap.copse | grep -q heap.thinned || return
	awk -F, 'function near(is, all, margin) {
			return is > all - 1.6 * margin && is < all + 1.6 * margin }
		FNR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		/^crowds/ { some = near($c["allocated"], 6e9, $c["allocated_margin"]) &&
			near($c["leaked"], 3e9, $c["leaked_margin"]) &&
			near($c["at_peak"], 6e9, 2 * $c["at_peak_margin"]) &&
			$c["leaked_margin"] < 1e8 }
		END { exit !some }' rows.csv
}

if [ ! -e "$programs/heap-patterns" ]; then
	echo "1..0 # SKIP no programs"
	exit 77
fi
point "bytes, blocks, the peak and what is left are right" sums_are_told
point "what grows is told by iteration, and nothing else" growth_is_told
point "what held most comes first" peak_is_told
point "the tree of memory is that of time" tree_is_one
point "pprof has Go's names" pprof_has_names
point "without --heap there is nothing" is_off
for allocator in libjemalloc.so libtcmalloc_minimal.so libmimalloc.so; do
	point "it is the same with $allocator" with_allocator $allocator
done
point "C++'s new is counted once" cxx_is_counted_once
point "functions of Python allocate" python_is_told
point "arrays of Fortran" fortran_is_told
point "memory of MPI" mpi_memory_is_told
point "more live blocks than are known only make it less sure" \
	more_than_are_known
point "threads, and a forked child, have their own" threads_and_forks
points_done
