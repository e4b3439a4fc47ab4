#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeline.sh - when the parts of a program began and ended, and its steps, as
# copse report timeline and iterations have it, against what the program says.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99

measure() {
	need mpirun
	[ -x "$programs/mpi-stages" ] || skip "mpi-stages was not built"
	mpirun -n 4 "$copse" run -q -o app.copse "$programs/mpi-stages" slow=20 \
		extra=0.5 \
		>out 2>err || { cat out err; return 1; }
	"$copse" report timeline app.copse -f csv >cells.csv
}

# Both ends of four stages on four ranks: the middles of their bins are two bins
# away at most, when both clocks are set by the median of all differences.
stages() {
	[ -s cells.csv ] || skip "not measured"
	awk -F'[, ]' -v OFS=' ' '
		FILENAME == "out" && $1 == "stage" && $2 != "write_restart" {
			from[$2, $3] = $4
			to[$2, $3] = $5
			next
		}
		FILENAME == "out" || FNR == 1 || $2 != "thread" { next }
		{
			width = $5 - $4
			for (key in from) {
				split(key, word, SUBSEP)
				if (word[2] != $1 || $6 !~ /./ ||
				    index($0, word[1] " ") == 0)
					continue
				if (!(key in first))
					first[key] = $4 + width / 2
				last[key] = $5 - width / 2
			}
		}
		END {
			for (key in from) {
				off[all++] = first[key] - from[key]
				off[all++] = last[key] - to[key]
			}
			zero = median()
			for (i = 0; i < all; i++) {
				bins = (off[i] - zero) / width
				good += bins ^ 2 <= 4
				print bins, "bins"
			}
			print good " of " all
			exit all < 32 || good < 0.95 * all
		}
		function median(    i, k, less, more) {
			for (i = 0; i < all; i++) {
				less = more = 0
				for (k = 0; k < all; k++) {
					less += off[k] < off[i]
					more += off[k] > off[i]
				}
				if (2 * less <= all && 2 * more <= all)
					return off[i]
			}
		}' out cells.csv
}

# A page of 80 columns, and the letters of what takes most.
page() {
	[ -s cells.csv ] || skip "not measured"
	"$copse" report timeline app.copse --width 80 >page || return 1
	cat page
	[ "$(wc -L <page)" -le 80 ] || return 1
	for name in setup assemble compute finish; do
		grep -qE "^ +[a-z] .* $name ←" page || return 1
	done
	[ "$(grep -cE '^  [0-3] +[A-Za-z. ]{40,}' page)" = 4 ]
}

# steps_are ARGUMENT…: 50, of which the 20th, by far the longest, was in
# write_restart() on all ranks.
steps_are() {
	need mpirun
	rm -rf steps.copse
	mpirun -n 4 "$copse" run -q -o steps.copse "$programs/mpi-stages" \
		slow=20 extra=2 "$@" >out 2>err || { cat out err; return 1; }
	"$copse" report iterations steps.copse >page || return 1
	cat page
	grep -q '^50 iterations of' page &&
		grep -q '^! Iteration 20 took' page &&
		tr -d '\n' <page | grep -q 'excess *in *write_restart *←'
}

steps() {
	steps_are
}

# More calls of MPI in each step, from another line: on crowded cores the pauses
# between them may be as long as those between steps, now and then.
more_calls() {
	good=0 bad=0
	while [ $good -lt 2 ] && [ $bad -lt 2 ]; do
		if steps_are inner=3; then
			good=$((good + 1))
		else
			bad=$((bad + 1))
		fi
	done
	[ $good = 2 ]
}

# The program says so itself.
marked() {
	steps_are marked=1 inner=1 && grep -q 'by the phase' page
}

# … or by the level that MPI leaves to tools; of each step once, not as often as
# the calls in it.
marked_by_level() {
	steps_are level=1000 inner=1 && grep -q 'by *MPI_Pcontrol ←' page
}

# … of which four contexts are more often there: marks are kept before others.
marked_among_calls() {
	steps_are marked=1 parts=5 && grep -q 'by the phase' page
}

# Each rank and iteration, for programs: 4 ranks, 49 from one call to the next.
cells() {
	[ -d steps.copse ] || skip "not measured"
	"$copse" report iterations steps.copse -f csv --table cells >cells &&
		[ "$(wc -l <cells)" = 197 ]
}

# traced KEEP: 1 MiB is 65,536 samples, and has more than there are; each is one
# moment, from the start of the program, without MPI.
traced() {
	rm -rf traced.copse
	"$copse" run -q --trace 1 --trace-keep "$1" -o traced.copse \
		"$programs/phases" 0.3 >out 2>err || { cat out err; return 1; }
	"$copse" report timeline traced.copse -f csv --table cells >cells &&
		"$copse" report hotspots traced.copse -m samples -n 0 -f csv \
			>samples || return 1
	awk -F, 'FNR == 1 { for (i = 1; i <= NF; i++) at[FILENAME, $i] = i; next }
		FILENAME == "samples" { all += $at[FILENAME, "exclusive"] }
		FILENAME == "cells" { kept += $at[FILENAME, "moments"] }
		END { print kept " of " all; exit kept != all || all < 100 }' \
		samples cells
}

# Many call paths of MPI take all room for stamps: those of the steps are halved
# then, and reach to the last one.
many_calls() {
	need mpicc mpirun
	cat >many.c <<-'C'
	#include <mpi.h>
	#include <unistd.h>
	static volatile int sum;
	__attribute__((noipa)) static void deeper(int left)
	{
		int version, part;
		for (int i = 0; i < 20; i++)
			MPI_Get_version(&version, &part);
		if (left)
			deeper(left - 1);
		sum++;
	}
	int main(int argc, char **argv)
	{
		MPI_Init(&argc, &argv);
		for (int i = 0; i < 200; i++) {
			if (i == 40)
				for (int k = 0; k < 10; k++)
					deeper(100 * k);
			usleep(5000);
			MPI_Barrier(MPI_COMM_WORLD);
		}
		return MPI_Finalize();
	}
	C
	mpicc -O1 -g -o many many.c || return
	mpirun -n 1 "$copse" run -q -o many.copse ./many || return
	"$copse" report iterations many.copse >said
	cat said
	grep -qE '^(200|199) iterations of' said || return
	! tr -s ' \n' ' ' <said | grep 'after the last, mostly in MPI_Barrier'
}

all_traced() {
	traced thin && traced first && traced last
}

# It records no calls that others take part in; its thread is a row as others'.
# Cells in which nothing is known have no path.
alone() {
	need mpirun
	mpirun -n 1 "$copse" run -q --trace 1 -o alone.copse \
		"$programs/mpi-stages" steps=10 stage=0.1 >out 2>err ||
		{ cat out err; return 1; }
	"$copse" report timeline alone.copse -f csv --table cells >alone.csv &&
		grep -q '^0,thread,0,' alone.csv || { cat alone.csv; return 1; }
	awk -v columns='share path' -f "$srcdir/tests/lib/csv.awk" alone.csv |
		awk -F '\t' '$1 == 0 && $2 != "" || $1 > 0 && $2 == ""' >wrong
	cat wrong
	[ ! -s wrong ]
}

# Ranks without a core of their own have few samples in MPI: the time of each is
# what its calls took, and MPI_Init, within 5 %.
time_in_mpi() {
	need mpirun
	mpirun -n 4 "$copse" run -q -o demo.copse "$programs/demo" 200 >out ||
		return
	"$copse" report ranks demo.copse --table ranks -f csv >ranks.csv &&
		"$copse" report timeline demo.copse -f csv >cells.csv || return
	awk -v columns='rank elapsed mpi_wait mpi_transfer other' \
		-f "$srcdir/tests/lib/csv.awk" ranks.csv >is
	awk -v columns='rank kind begin end mpi' \
		-f "$srcdir/tests/lib/csv.awk" cells.csv |
		awk -F '\t' '
			NR == FNR { elapsed[$1] = $2; mpi[$1] = $3 + $4
				other[$1] = $5; next }
			$2 == "thread" { found[$1] += ($4 - $3) * $5 }
			END {
				for (rank in mpi) {
					least = mpi[rank] - 0.05 * elapsed[rank]
					most = mpi[rank] + other[rank] + \
						0.05 * elapsed[rank]
					print found[rank], "of", least, "to", most
					good += found[rank] > least && \
						found[rank] < most
				}
				exit good != 4
			}' is -
}

point 'a program with stages is measured' measure
point 'the ends of stages are where the program says' stages
point 'a page of letters' page
point 'time in MPI is what calls took' time_in_mpi
point 'steps are found, and the slow one' steps
point 'a step with several calls is one' more_calls
point 'a marked step is one' marked
point "... by MPI_Pcontrol's level" marked_by_level
point '... although others are more' marked_among_calls
point 'iterations as a table' cells
point 'steps among many call paths are all there' many_calls
point 'with --trace each sample is a moment' all_traced
point 'one rank alone' alone
points_done
