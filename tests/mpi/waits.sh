#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# waits.sh - programs in which one rank is late, at random: the report of waits
# names it first, with the call path that it was on, and the seconds that the
# others lost; in the same programs without a delay nobody is blamed.  Others
# on the cores make ranks late as well, so the truth is what the program measured;
# tests/bench/waits.sh tells how good it is on a quiet machine.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
# shellcheck source=tests/lib/delays.sh
. "$srcdir/tests/lib/delays.sh"
cd "$scratch" || exit 99
seed=${SEED:-$(date +%s)}

blamed=1 # per cent of the run time, more than the program saw

have_delays() {
	need mpirun
	[ -x "$programs/delays" ] || skip "delays was not built: no MPI compiler?"
}

# run_one RANKS PATTERN [KEY=VALUE…]
run_one() {
	have_delays
	delays_judged "$2" "$@" "seed=$seed" || return
	shift
	grep ^truth "$1.out"
	cat "$1.found"
	head -n 20 "$1.csv"
}

# is_found SECONDS PATTERN: delays of this length.
is_found() {
	length=$1
	shift
	run_one 4 "$@" iterations=30 step=0.01 "delay=$length" &&
		found_right "$1"
}

# was_upset PATTERN: others on the cores made the waits other than they were
# drawn.  Ranks that pass on what a tree of messages brings are late then, too.
was_upset() {
	awk -v off="$(found_value upset "$1.found")" \
		'BEGIN { exit off <= 25 && off >= -25 }'
}

# At least 24 patterns are right at once, but for those that were upset; and the
# others are with delays that are much longer than a turn of others on the cores.
finds_the_culprits() {
	have_delays
	wrong=0 again=
	for pattern in $delay_patterns; do
		is_found 0.02 "$pattern" >"$pattern.said" 2>&1 && continue
		[ $? != 77 ] || { cat "$pattern.said"; return 77; }
		head -n 8 "$pattern.said"
		was_upset "$pattern" || wrong=$((wrong + 1))
		again="$again $pattern"
	done
	echo "$wrong wrong; again:$again"
	for pattern in $again; do
		is_found 0.1 "$pattern" || return
	done
	[ $wrong -le 1 ]
}

# More messages than are kept: the seconds are an estimate.
estimates() {
	run_one 2 "$@" iterations=20000 step=0.00003 delay=0.00003 \
		busy=0.00001 how=busy || return
	near "$(found_value error "$1.found")" 0 "$seconds_off"
}

# What the culprit's other thread did while it slept, in CPU time: on a busy
# machine that is less than it slept.
helper_is_found() {
	run_one 4 "$@" iterations=30 step=0.02 delay=0.02 how=helper || return
	[ "$(found_value rank "$1.found")" = yes ] || return
	awk -v columns='victim sampled helpers seconds helpers_seconds' \
		-f "$srcdir/tests/lib/csv.awk" "$1.csv" |
		awk -F'\t' '$1 ~ /run_lane/ && $2 == 0 && !seen++ {
			print
			found = $3 ~ /^lend_hand ← / && $5 > 0 && $5 < 1.3 * $4
		}
		END { exit !found }' || return
	"$copse" report waits "$1.copse" |
		tr -s '\n ' ' ' | grep 'its other threads were most often in lend_hand'
}

blames_nobody() {
	run_one 4 "$@" iterations=30 step=0.02 balanced=1 || return
	awk -v is="$(found_value blamed "$1.found")" \
		-v own="$(found_value own "$1.found")" -v most="$blamed" \
		'BEGIN { exit is > own + most }'
}

# Four paths below it have the time.  Where rank 0 lacks its core there are no
# samples of it.
says_who_looks_at_the_clock() {
	"${launch:-mpirun}" -n 2 "$copse" run --quiet --force -o looks.copse \
		"$programs/mpi-looks" 0.02 >looks.out 2>&1 ||
		{ cat looks.out; return 1; }
	"$copse" report summary --width 1000 looks.copse | tee summary.txt |
		grep '•'
	grep -q 'Rank 0 alone stayed in look ← main while rank 1 waited in MPI_Barrier ← meet ← main' \
		summary.txt || {
		had_cores looks.copse || skip "others have the cores here"
		return 1
	}
	"$copse" report waits --width 1000 looks.copse | grep '•' |
		grep 'Rank 1 waited .* for rank 0 in MPI_Barrier ← meet ← main, while it was \(most often \|\)in look ← main'
}

one_rank_waits_for_nobody() {
	have_delays
	"${launch:-mpirun}" -n 1 "$copse" run --quiet -o one.copse \
		"$programs/mpi-looks" 0.001 >one.out 2>&1 ||
		{ cat one.out; return 1; }
	"$copse" report waits one.copse | tee one.txt
	grep -q '^One rank waits for nobody' one.txt
}

# Each of many messages that a call ends is late as little as the call: only
# some are kept, and they are not so many calls.
many_in_one_call() {
	need mpirun
	cat >flood.c <<-'C'
		#include <mpi.h>
		#include "known.h"

		#define MESSAGES 15000
		#define ROUNDS   40

		int main(int argc, char **argv)
		{
			static MPI_Request all[2 * MESSAGES];
			static double in[MESSAGES], out[MESSAGES];
			double waited = 0, times[2], others[2];
			int rank;

			MPI_Init(&argc, &argv);
			MPI_Comm_rank(MPI_COMM_WORLD, &rank);
			for (int r = 0; r < ROUNDS; r++) {
				for (int i = 0; i < MESSAGES; i++) {
					MPI_Irecv(&in[i], 1, MPI_DOUBLE, !rank, i,
						  MPI_COMM_WORLD, &all[i]);
					MPI_Isend(&out[i], 1, MPI_DOUBLE, !rank,
						  i, MPI_COMM_WORLD,
						  &all[MESSAGES + i]);
				}
				times[0] = elapsed_seconds();
				MPI_Waitall(2 * MESSAGES, all,
					    MPI_STATUSES_IGNORE);
				times[1] = elapsed_seconds();
				MPI_Sendrecv(times, 2, MPI_DOUBLE, !rank, 0,
					     others, 2, MPI_DOUBLE, !rank, 0,
					     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
				if (others[0] > times[0])
					waited += (others[0] < times[1] ? others[0]
							: times[1]) - times[0];
			}
			truth("waited", waited);
			MPI_Finalize();
			return 0;
		}
	C
	"${MPICC:-mpicc}" -O1 -g -I"$srcdir/tests/programs" -o flood flood.c ||
		skip "no MPI compiler"
	mpirun -n 2 "$copse" run -q -o flood.copse ./flood >flood.out ||
		return
	cat flood.out
	"$copse" report waits -f csv --table ranks flood.copse |
		tee ranks.csv
	"$copse" report waits flood.copse | grep '^One in' || return
	awk -F , 'FNR == NR { truth += $0 ~ /^truth/ ? substr($0, 14) : 0; next }
		FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ waited += $at["waited"]; mpi += $at["mpi"] }
		END { print waited, "s of", mpi, "s, truth at most", truth
			exit waited > 3 * truth + 0.02 * mpi }' \
		flood.out ranks.csv
}

point "who was late, in 25 patterns" finds_the_culprits
point "a helper of the culprit" helper_is_found barrier
point "late-sender, many times" estimates late-sender
point "who looks at the clock" says_who_looks_at_the_clock
point "one rank" one_rank_waits_for_nobody
point "a call that ends thousands of messages waits once" many_in_one_call
for pattern in allreduce halo; do
	point "$pattern, balanced" blames_nobody "$pattern"
done
points_done
