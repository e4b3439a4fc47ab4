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

# More calls of MPI in each step, from another line.
more_calls() {
	steps_are inner=3
}

# The program says so itself.
marked() {
	steps_are marked=1 inner=1 && grep -q 'by the phase' page
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
		"$programs/phases" 1 >out 2>err || { cat out err; return 1; }
	"$copse" report timeline traced.copse -f csv --table cells >cells &&
		"$copse" report hotspots traced.copse -m samples -n 0 -f csv \
			>samples || return 1
	awk -F, 'FNR == 1 { for (i = 1; i <= NF; i++) at[FILENAME, $i] = i; next }
		FILENAME == "samples" { all += $at[FILENAME, "exclusive"] }
		FILENAME == "cells" { kept += $at[FILENAME, "moments"] }
		END { print kept " of " all; exit kept != all || all < 100 }' \
		samples cells
}

all_traced() {
	traced thin && traced first && traced last
}

point 'a program with stages is measured' measure
point 'the ends of stages are where the program says' stages
point 'a page of letters' page
point 'steps are found, and the slow one' steps
point 'a step with several calls is one' more_calls
point 'a marked step is one' marked
point 'iterations as a table' cells
point 'with --trace each sample is a moment' all_traced
points_done
