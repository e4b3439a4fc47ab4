#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# threads.sh - what threads of parallel regions worked and waited is what the
# program measured itself, and for whom they waited.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
export COPSE_OPENMP=on
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
				e >= L + M - d && w + b + e <= all + d &&
				w + b + e >= W + B + L + M - d)
		}' &&
		[ "$(of "$first" calls)" = 10 ] &&
		[ "$(of "$first" threads)" = 2 ]
}

critical_section() {
	[ -e omp.copse ] || skip "there was no run"
	is=$(of 'parallel num_threads(2)$' barrier_wait)
	within "$is" "$(truth critical)" 1
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
	6[89] | [7-9]? | 100)	echo "$is" | grep -q 'thread 0.*extra' ;;
	3[89] | [45]? | 6[0-2])	echo "$is" | grep -q 'different threads' ;;
	esac
}

is_found() {
	[ -e omp.copse ] || skip "there was no run"
	"$copse" report diagnose omp.copse >found || return
	cat found
	# Unless others have the cores: then that is why they wait.
	tr -s ' \n' ' ' <found |
		grep -q 'parallel uneven.c:[0-9]*: its 2 threads waited' ||
		"$copse" report omp.copse | tr -s ' \n' ' ' |
		grep -q 'waited for a core [6-9][0-9] %'
}

for cc in gcc clang; do
	point "$cc: thread 0 has three times the work" is_measured 0 3
	point "whom they waited for: thread 0" waited_for
	point "the diagnosis tells of the region" is_found
	point "critical sections, locks and copyprivate are waited for" critical_section
	point "thread 1 has half as much again" is_measured 1 1.5
	point "whom they waited for: the other one" waited_for
	point "both have as much" is_measured 1 1
done
points_done
