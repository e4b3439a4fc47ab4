#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# threads.sh - what threads of parallel regions worked and waited is what the
# program measured itself, and for whom they waited.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99
export OMP_WAIT_POLICY=passive

truth() { # NAME
	awk -v name="$1" '$1 == "truth" && $2 == name { print $3 }' out
}

# of REGION COLUMN: its value; REGION is a line of uneven.c with this text.
of() {
	line=$(grep -n "$1" "$srcdir/tests/programs/uneven.c" | head -n 1 |
		cut -d : -f 1)
	"$copse" report threads -n 0 -f csv omp.copse |
		awk -v columns="region $2" -f "$srcdir/tests/lib/csv.awk" |
		awk -v name="uneven.c:$line]" 'index($0, name) { print $NF }'
}

built() {
	need "$cc"
	"$cc" -O1 -g -fopenmp -o uneven "$srcdir/tests/programs/uneven.c" \
		2>built.err || skip "$cc has no OpenMP here"
}

# within VALUE TRUTH OF: half a per cent of what it is of.
within() {
	near "$1" "$2" "$(awk -v t="$3" 'BEGIN { print 0.005 * t + 0.001 }')"
}

first='parallel num_threads(2) reduction'

# is_measured LATE K
is_measured() {
	built
	rm -rf omp.copse
	"$copse" run -q -o omp.copse ./uneven "$1" "$2" >out || return
	cat out
	"$copse" report threads omp.copse || return
	work=$(of "$first" work) barrier=$(of "$first" barrier_wait)
	end=$(of "$first" end_wait)
	# Who loses the core between two stamps has one of the two longer.
	awk -v w="$work" -v b="$barrier" -v e="$end" -v W="$(truth work)" \
		-v B="$(truth barriers)" -v E="$(truth ends)" \
		-v L="$(truth late-0)" -v M="$(truth late-1)" \
		-v all="$(truth regions)" 'BEGIN {
			d = 0.005 * all + 0.001
			exit !(w >= W - d && b <= B + d && e <= E + d &&
				b + e >= L + M - d && w + b + e <= all + d &&
				w + b + e >= W + L + M - d)
		}' &&
		[ "$(of "$first" calls)" = 10 ] &&
		[ "$(of "$first" threads)" = 2 ]
}

critical_section() {
	[ -e omp.copse ] || skip "there was no run"
	is=$(of 'parallel num_threads(2)$' lock_wait)
	copied=$(of 'parallel num_threads(2)$' barrier_wait)
	echo "for locks $is, for what is copied $copied"
	within "$(awk -v a="$is" -v b="$copied" 'BEGIN { print a + b }')" \
		"$(truth critical)" 1
}

# Others on the cores may make anybody late: the program knows who was.
waited_for() {
	[ -e omp.copse ] || skip "there was no run"
	late=$(awk -v a="$(truth late-0)" -v b="$(truth late-1)" \
		'BEGIN { print a + b }')
	within "$(of "$first" late)" "$late" "$(truth regions)" || return
	is=$("$copse" report threads -n 0 -f csv omp.copse |
		awk -v columns='region waited_for which_was_in' -f "$srcdir/tests/lib/csv.awk" |
		grep "uneven.c:$(grep -n "$first" \
			"$srcdir/tests/programs/uneven.c" | cut -d : -f 1)]")
	echo "$is"
	case $(awk -v a="$(truth late-0)" -v all="$late" \
		'BEGIN { print int(100 * a / all) }') in
	[0-9] | [12]? | 3[0-2])	echo "$is" | grep -q 'other threads' ;;
	6[89] | [7-9]? | 100)	echo "$is" | grep -qE 'thread 0.*(busy|extra)' ;; # at the barrier, at the end
	3[89] | [45]? | 6[0-2])	echo "$is" | grep -q 'different threads' ;;
	esac
}

is_found() {
	[ -e omp.copse ] || skip "there was no run"
	"$copse" report diagnose omp.copse >found || return
	cat found
	# Unless others have the cores: then that is why they wait.
	! grep -q ', 0 % ' found || return
	tr -s ' \n' ' ' <found |
		grep -q 'parallel uneven.c:[0-9]*: of their time its 2 threads' ||
		"$copse" report omp.copse | tr -s ' \n' ' ' |
		grep -q 'waited for a core [6-9][0-9] %'
}

# csv COLUMNS: of all rows.
columns() {
	"$copse" report threads -n 0 -f csv "$@" tasks.copse
}

# What threads of both kinds did is all that there was: no time is missing.
tasks_are_work() {
	need "$cc"
	"$cc" -O2 -g -fopenmp -Wno-unknown-attributes -o tasks \
		"$srcdir/tests/programs/busy-tasks.c" 2>built.err ||
		skip "$cc has no OpenMP here"
	rm -rf tasks.copse
	"$copse" run -q -o tasks.copse ./tasks >out || return
	cat out
	"$copse" report threads tasks.copse || return
	columns >rows || return
	awk -F , -v alone="$(truth alone)" -v inside="$(truth inside)" \
		-v tasks="$(truth tasks)" -v waits="$(truth waits)" \
		-v locks="$(truth locks)" '
		function near(what, is, should) {
			d = 0.005 * 2 * (alone + inside) + 0.002
			print what, is, should
			bad += is > should + d || is < should - d
		}
		NR == 1 {
			for (i = 1; i <= NF; i++)
				at[$i] = i
			next
		}
		/^$/ { exit }
		{
			out = /^outside/
			sum += $at["work"] + $at["end_wait"] + $at["idle"]
			sum += $at["barrier_wait"] + $at["lock_wait"]
			all += $at["elapsed"] * $at["threads"]
			in_regions += out ? 0 : $at["elapsed"]
			in_tasks += out ? 0 : $at["work"]
			for_locks += $at["lock_wait"]
		}
		END {
			near("all", sum, all)
			near("inside", in_regions, inside)
			near("locks", for_locks, locks)
			bad += in_tasks < tasks - 0.01
			print "work", in_tasks, "of which tasks", tasks
			exit bad
		}' rows
}

# Whoever does it, and also where tasks make tasks.
tasks_are_below() {
	[ -e tasks.copse ] || skip "there was no run"
	"$copse" report -f folded -m samples tasks.copse >folded || return
	awk '/in_piece/ { all += $NF }
		/main;.*\[parallel busy-tasks.c:[0-9]*\];(.*;)?\[task busy-tasks.c:[0-9]*\];in_piece/ { good += $NF }
		END { print good, "of", all
			exit !(all > 20 && good >= 0.98 * all) }' folded ||
		{ grep in_piece folded; return 1; }
}

# At the end of regions and at barriers in them.
waiting_is_one_row() {
	[ -e tasks.copse ] || skip "there was no run"
	"$copse" report hotspots -n 0 -f csv tasks.copse >spots || return
	grep -F '[OpenMP ' spots
	[ "$(grep -cF '[OpenMP waiting]' spots)" -le 1 ]
}

# What is waited for a critical section, and who was in it; LLVM's runtime has
# locks whose holder is not told.
holders_are_told() {
	[ -e tasks.copse ] || skip "there was no run"
	columns --table locks | tee locks.csv
	awk -F , '
		/critical section/ && /want_section/ && /hold_section/ { a = 1 }
		/OpenMP lock/ && /want_lock/ && /hold_lock/ { b = 1 }
		END { exit !(a && (b || llvm)) }' llvm="$([ "$cc" = clang ] && echo 1)" locks.csv
}

# Nothing but the first wait for a section: 0.2 s; and what is free is no wait.
one_wait() {
	need "$cc"
	cat >once.c <<-'C'
	#include <omp.h>
	#include <unistd.h>
	static volatile int held, sum;
	int main(void)
	{
	#pragma omp parallel num_threads(2)
		{
			if (omp_get_thread_num()) {
	#pragma omp critical(waited_for)
				{
					double end = omp_get_wtime() + 0.2;

					held = 1;
					while (omp_get_wtime() < end)
						;
				}
			} else {
				while (!held)
					usleep(1000);
	#pragma omp critical(waited_for)
				sum++;
			}
	#pragma omp barrier
	#pragma omp single
			for (int i = 0; i < 1000; i++)
	#pragma omp critical(waited_for)
				sum++;
		}
		return 0;
	}
	C
	"$cc" -O1 -g -fopenmp -o once once.c || skip "$cc has no OpenMP here"
	rm -rf once.copse
	"$copse" run -q -o once.copse ./once &&
		"$copse" report threads -n 0 -f csv --table locks once.copse |
		tee once.csv | awk -F , 'NR == 1 {
			for (i = 1; i <= NF; i++)
				at[$i] = i
			next
		}
		/critical section/ { s += $at["waited"]; n += $at["waits"] }
		END { exit !(s > 0.15 && n == 1) }' || { cat once.csv; return 1; }
}

# Sections that both threads ask for at the same moment, each once.  Who loses
# the core before the call has asked earlier than the stamp says.
waits_of_all() {
	need "$cc"
	cat >each.h <<-'C'
	#include <omp.h>
	#include <sched.h>
	#include <stdio.h>
	static int came;
	static double waited;
	static void together(int all)
	{
		__atomic_fetch_add(&came, 1, __ATOMIC_SEQ_CST);
		while (__atomic_load_n(&came, __ATOMIC_SEQ_CST) < all)
			sched_yield();
	}
	static void hold(double asked)
	{
		double got = omp_get_wtime();
		waited += got - asked;
		while (omp_get_wtime() < got + 0.002)
			;
	}
	C
	{
		printf '%s\n' '#include "each.h"' 'int main(void) {' 'double asked;' \
			'#pragma omp parallel num_threads(2) private(asked)' '{'
		for i in $(seq 50); do
			printf '%s\n' "together($((2 * i)));" \
				'asked = omp_get_wtime();' \
				"#pragma omp critical(section_$i)" 'hold(asked);'
		done
		printf '%s\n' '}' 'printf("%f\n", waited);' 'return 0; }'
	} >each.c
	"$cc" -O1 -g -fopenmp -o each each.c || skip "$cc has no OpenMP here"
	rm -rf each.copse
	"$copse" run -q -o each.copse ./each >out &&
		"$copse" report threads -n 0 -f csv each.copse |
		awk -v columns=lock_wait -f "$srcdir/tests/lib/csv.awk" >waits ||
		return
	echo "$(cat waits) of $(cat out) s"
	awk -v all="$(cat out)" '{ s += $1 }
		END { exit !(s <= all + 0.002 && s >= 0.8 * all) }' waits
}

# Its seconds are work of the region, its samples stand below where it was made.
task_before_member() {
	need gcc
	gcc -O1 -g -fno-omit-frame-pointer -I "$srcdir" -I "$srcdir/src" \
		-o early "$srcdir/tests/programs/early-task.c" -pthread -ldl || return
	rm -rf early.copse
	"$copse" run -q -o early.copse ./early >out || return
	"$copse" report -f folded -m samples early.copse >folded || return
	cat out folded
	awk '/in_piece/ { all += $NF }
		/^main;\[parallel early-task.c:[0-9]*\];.*\[task .*in_piece/ { good += $NF }
		END { exit !(all > 20 && good == all) }' folded &&
		"$copse" report threads -n 0 -f csv early.copse |
		awk -v columns='region work end_wait elapsed' \
			-f "$srcdir/tests/lib/csv.awk" | tee rows |
		awk -v early="$(truth early)" '{ work += $(NF - 2) }
			$NF > longest { longest = $NF; end = $(NF - 1); w = $(NF - 2) }
			END { d = 2 * longest - w - end
				exit !(work >= early && d * d < 1e-6) }' ||
		{ cat rows; return 1; }
}

# What a loop around sched_yield() takes is no work; nor does it hide who calls.
yields() {
	need gcc
	said=
	cat >yields.c <<-'C'
	#include <pthread.h>
	#include <sched.h>
	#include "known.h"
	static int done;
	static KEPT void *spins(void *unused)
	{
		while (!__atomic_load_n(&done, __ATOMIC_SEQ_CST))
			sched_yield();
		return unused;
	}
	static KEPT void works(void) { work_for(1); }
	int main(void)
	{
		pthread_t thread;

		pthread_create(&thread, NULL, spins, NULL);
		works();
		__atomic_store_n(&done, 1, __ATOMIC_SEQ_CST);
		return pthread_join(thread, NULL);
	}
	C
	gcc -O1 -g -I "$srcdir/tests/programs" -o yields yields.c -pthread || return
	rm -rf yields.copse
	"$copse" run -q -o yields.copse ./yields &&
		"$copse" report -f folded -m samples yields.copse >folded || return
	"$copse" report yields.copse | tr -s ' \n' ' ' >said
	cat folded said
	# Where others want the core, little is sampled there.
	grep -q 'spinning with sched_yield() for .* in spins' said && said=1
	awk -v said="$said" '{ cpu += $NF }
		/spins/ { all += $NF }
		/spins;\[spinning, sched_yield\]/ { waited += $NF }
		END { exit !(waited > 0 && waited >= 0.7 * all - 3 &&
			(said || waited < 0.06 * cpu)) }' folded
}

point "a loop around sched_yield is no work" yields
point "a task that is begun before its thread is a member" task_before_member
for cc in gcc clang; do
	point "$cc: the first wait for a critical section" one_wait
	point "$cc: waits of those that come at once" waits_of_all
	point "$cc: tasks are work, and no time is missing" tasks_are_work
	point "$cc: tasks stand below where they were made" tasks_are_below
	point "$cc: waiting is one row of hotspots" waiting_is_one_row
	point "$cc: who held what others waited for" holders_are_told
	point "$cc: thread 0 has three times the work" is_measured 0 3
	point "whom they waited for: thread 0" waited_for
	point "the diagnosis tells of the region" is_found
	point "critical sections, locks and copyprivate are waited for" critical_section
	point "thread 1 has half as much again" is_measured 1 1.5
	point "whom they waited for: the other one" waited_for
	point "both have as much" is_measured 1 1
done
points_done
