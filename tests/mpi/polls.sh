#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# polls.sh - polls that are counted and not timed (--budget) are counted where
# they were made, and complete what they find.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
# shellcheck source=tests/lib/mpi.sh
. "$srcdir/tests/lib/mpi.sh"
cd "$scratch" || exit 99

rounds=

# measure MPI SUFFIX OPTION…: the program, of so many $rounds, prints ./out, its
# reports ./csv.
measure() {
	mpi=$1 program=$programs/mpi-polls$2
	shift 2
	[ -x "$program" ] || skip "$(basename "$program") was not built"
	rm -rf polls.copse
	launch "$mpi" 1 "$copse" run --quiet "$@" -o polls.copse "$program" \
		$rounds >out 2>err || { cat out err; return 1; }
	"$copse" report mpi-calls polls.copse -n 0 -f csv >csv
}

ways='one_way|other_way|deeper|phased|inner|outer|left|right|in_pause|messages|late|probes'

# Calls of a function on paths through others.
calls_by_way() {
	awk -v columns='function call_path calls' -f "$srcdir/tests/lib/csv.awk" \
		csv | awk -F '\t' -v ways="$ways" '
		{
			way = ""
			while (match($2, ways)) {
				way = way substr($2, RSTART, RLENGTH)
				$2 = substr($2, RSTART + RLENGTH)
			}
			n[$1 " " way] += $3
		}
		END { for (w in n) print "polls", w, n[w] }' |
		grep -E 'Test|Iprobe' | sort
}

counts() {
	measure "$@" || return
	grep '^polls' out | sort >want
	calls_by_way >is && diff want is
}

requests() {
	"$copse" report mpi-calls polls.copse -n 0 | awk '
		/^requests/ { on = 1 }
		/^$/ { on = 0 }
		on && $3 ~ /messages|late/ { n += $6 }
		END { print "requests", n }' >is
	grep '^requests' out | diff - is
}

# In a loop of nothing but polls much of the time is theirs, and the rest the
# wrapper's.  Those that were timed took a thirtieth of it.
time_of_probes() {
	awk -v columns='function seconds' -f "$srcdir/tests/lib/csv.awk" csv |
		awk '$1 == "MPI_Iprobe" { s += $2 } END { print s }' >is
	awk 'NR == FNR { is = $1; next }
		$1 == "probes" { print is, "of", $2
			exit !(is > 0.1 * $2 && is < 1.02 * $2) }' is out
}

untimed() {
	"$copse" report measurement polls.copse >report || return
	grep 'MPI calls that only poll' report || { cat report; return 1; }
}

none_untimed() {
	rounds=20000
	measure "$@" || return
	"$copse" report measurement polls.copse >report || return
	if grep 'only poll' report; then return 1; fi
}

# Those of a poll would be its caller's.
none_untimed_with_events() {
	event=perf::PAGE-FAULTS@1000
	"$copse" run -q --strict -e $event -o probe.copse true ||
		skip "no $event here"
	none_untimed "$@" --budget 0.001 -e $event
}

paths_agree() {
	counts "$@" --budget 0.001 --verify on || return
	"$copse" report measurement polls.copse >report || return
	if grep verify.differs report; then return 1; fi
}

# A library before MPI, whose MPI_Test takes 0.2 ms now and then.
slow_test() {
	need mpicc
	cat >slow.c <<'C'
#include <mpi.h>
#include <stdlib.h>
#include <time.h>
double seconds_in_test;
static double cpu(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
	static unsigned short seed[3];
	double begun = cpu();
	int rc = PMPI_Test(request, flag, status);
	double until = erand48(seed) < 0.1 ? begun + 2e-4 : begun;
	while (cpu() < until)
		;
	seconds_in_test += cpu() - begun;
	return rc;
}
C
	mpicc -O2 -shared -fPIC -o slow.so slow.c
}

# Few of the long polls are drawn, and the others are not time to compute in.
# When others had the core (the time open without CPU time), it was in polls or
# outside of them: the program cannot tell.  So that it is not given away in each
# poll, Open MPI does not yield.
overlap() {
	slow_test || return
	need mpirun python3
	rm -rf polls.copse
	OMPI_MCA_mpi_yield_when_idle=0 LD_PRELOAD=$PWD/slow.so \
		mpirun -n 1 "$copse" run -q --budget 0.001 \
		-o polls.copse "$programs/mpi-overlap" 40000 >out || return
	"$copse" report mpi-calls polls.copse -f json >json || return
	untimed || return
	cat out json
	python3 - json out <<'P'
import json, sys
table = json.load(open(sys.argv[1]))["tables"]["requests"]
word, life, used, outside = open(sys.argv[2]).read().split()
life, used, outside = float(life), float(used), float(outside)
least = outside - 0.2 * used
sys.exit(not least <= table[0]["overlap"] <= least + 0.4 * used + life - used)
P
}

for mpi in openmpi mpich; do
	suffix=$([ $mpi = mpich ] && echo .mpich)
	point "$mpi: calls on each path" counts $mpi "$suffix" --budget 0.001
	point "$mpi: requests that polls completed" requests
	point "$mpi: the time of those that were not timed" time_of_probes
	point "$mpi: the report says that time is an estimate" untimed
	point "$mpi: any budget: all are timed" \
		none_untimed $mpi "$suffix" --budget 0
	point "$mpi: a walk confirms the paths" paths_agree $mpi "$suffix"
done
point "overlap of requests leaves long polls out" overlap
point "with events all are timed" none_untimed_with_events openmpi ""
points_done
