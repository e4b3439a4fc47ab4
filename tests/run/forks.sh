#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# forks.sh - a forked child touches little of ours, and none of it is among the
# program's hot paths.  Page faults are counted: most of a fork's cost is of
# them, and time says nothing on a busy machine.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
unset COPSE_BUDGET
CC=${CC:-cc}
children=400

# few US MOST OPTION…: so many page faults more at most in a child that works
# for so many microseconds.
few() {
	us=$1
	most=$2
	shift 2
	rm -rf few.copse
	plain=$(./fork $children "$us" 0) &&
		with=$("$copse" run -q --no-report "$@" -o few.copse \
			./fork $children "$us" 0) || return
	echo "CPU time (us), page faults: $plain without copse, $with with it"
	more=$((${with#* } - ${plain#* }))
	[ $more -le "$most" ]
}

# Also when its parent has used what the child has to reset.
used() {
	few 0 40 --locks=on && few 0 40 -e wall
}

# Children of 0.6 ms, so that what comes at a fork would be seen.
no_path_of_ours() {
	rm -rf paths.copse
	"$copse" run -q --no-report --freq 5000 -o paths.copse \
		./fork 1000 600 0 >out && "$copse" report tree paths.copse \
		--width 200 >said || return
	cat said
	grep -q 'work' said &&
		! grep -E 'forget|_forked|handles_|mutex_init|copse' said
}

starts_are_said() {
	rm -rf starts.copse
	"$copse" run -o starts.copse ./fork $children 0 0 >out 2>said &&
		"$copse" report measurement starts.copse >>said || return
	cat said
	tr -s ' \n' ' ' <said | grep -q 'and [0-9]* % to start processes' &&
		grep -q 'Starting to measure processes cost' said
}

# A child that gives up its rights has the clock that it had: a timer, which
# needs none, comes 250 times a second.
other_user() {
	[ "$(id -u)" = 0 ] || skip "only root becomes another user"
	rm -rf user.copse
	"$copse" run --budget 0 -o user.copse ./other-user 2>said || return
	cat said
	[ "$(sed -n 's/^Measured: \([0-9]*\) samples.*/\1/p' said)" -gt 400 ]
}

cd "$scratch" || exit 99
if ! $CC -O2 -o fork "$srcdir/tests/bench/fork.c" 2>/dev/null; then
	echo "1..0 # SKIP no compiler here"
	exit 0
fi
$CC -O2 -o other-user -x c - <<'C' || exit 99
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
	if (fork())
		return wait(NULL) < 0;
	if (setuid(65534))
		return 1;
	while (clock() < CLOCKS_PER_SEC * 3 / 5)
		;
	_exit(0);
}
C
least=6
! has_own_modules || least=10
point "few page faults in a child that ends at once" few 0 $least --freq 20
point "in one that takes samples" few 600 45
point "without MPI and OpenMP" few 0 $least --freq 20 \
	--mpi=off --openmp=off
point "with other measurements" used
point "no path of ours" no_path_of_ours
point "a child that becomes another user" other_user
point "what starting to measure them took is said" starts_are_said
points_done
