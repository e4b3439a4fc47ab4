#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# steer.sh - measuring begins and ends while a job runs (copse control), at the
# same collective call of all ranks, or for some iterations (--iterations).
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
unset PMIX_NAMESPACE PMIX_RANK PMI_RANK SLURM_STEP_ID OMPI_COMM_WORLD_RANK
steered=$programs/steered
cd "$scratch" || exit 99
[ -x "$steered" ] || { echo "1..0 # SKIP no MPI compiler"; exit 0; }
# Ranks that wait leave the cores to others.
naps="env LD_PRELOAD=$builddir/tests/lib/naps.so"

# Asked for a call that is over, the command says so where a rank has made calls.
has_begun() {
	"$copse" control --at 1 --wait 0 job.copse freq 1000 2>&1 |
		grep -q 'is over'
}

# begin_job RANKS OPTION…
begin_job() {
	ranks=$1
	shift
	rm -rf job.copse over
	# shellcheck disable=SC2086 # a command
	mpirun -n "$ranks" $naps "$copse" run -q -o job.copse "$@" \
		"$steered" until over >out 2>err &
	job=$!
	trap 'touch over; wait $job' EXIT # of this point's shell
	wait_for has_begun || { cat out err; return 1; }
}

end_job() {
	touch over
	wait "$job" || { cat out err; return 1; }
}

control() {
	timeout 60 "$copse" control "$@" 2>&1
}

# call_of FILE: "4 of 4 ranks … since collective call 4711"
call_of() {
	sed -n "s/^$ranks of $ranks ranks .* since collective call \\([0-9]*\\)\$/\\1/p" \
		"$1"
}

# calls_of RUN RANK FUNCTION: that were measured.
calls_of() {
	"$copse" report mpi-calls --rank "$2" -n 0 "$1" -f csv | awk -F , '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$0 ~ function_ "( |,|$)" { sum += $at["calls"] }
		END { print sum + 0 }' function_="$3"
}

# of_all RUN RANK: of its calls, those of all ranks.
of_all() {
	echo $(($(calls_of "$1" "$2" MPI_Bcast) +
		$(calls_of "$1" "$2" MPI_Barrier) +
		$(calls_of "$1" "$2" MPI_Allreduce)))
}

# all_have RUN CALLS: exactly, each rank.
all_have() {
	for rank in $(seq 0 $((ranks - 1))); do
		is=$(of_all "$1" "$rank")
		[ "$is" = "$2" ] ||
			{ echo "rank $rank has $is calls, not $2"; bad=1; }
	done
	[ -z "$bad" ]
}

same_window() {
	begin_job 4 --from-start=off || return 1
	control job.copse start >start && sleep 0.5 &&
		control job.copse stop >stop || { cat start stop; return 1; }
	cat start stop
	sleep 0.3
	end_job || return 1
	all_have job.copse $(($(call_of stop) - $(call_of start))) || return 1
	"$copse" report job.copse >text
	grep "Measured: collective calls $(($(call_of start) + 1)) to $(call_of stop) on MPI_COMM_WORLD" text ||
		{ cat text; return 1; }
}

# The same sum, however often it was steered.
computes_the_same() {
	ranks=4
	mpirun -n 4 "$steered" storm 1000 >plain 2>&1 || { cat plain; return 1; }
	rm -rf storm.copse
	mpirun -n 4 "$copse" run -q -o storm.copse "$steered" storm 1000 \
		>stormy 2>&1 || { cat stormy; return 1; }
	[ "$(grep ^sum plain)" = "$(grep ^sum stormy)" ] ||
		{ cat plain stormy; return 1; }
}

# Of each step one MPI_Sendrecv and one MPI_Scan, too, which are not of all.
each_turn_was_followed() {
	[ -e storm.copse ] || computes_the_same || return 1
	steps=$(awk '$1 == "truth" && $2 == "steps" { print $3 }' stormy)
	for rank in 0 1 2 3; do
		for function in MPI_Sendrecv MPI_Scan MPI_Bcast; do
			is=$(calls_of storm.copse $rank $function)
			[ "$is" = "$steps" ] || { bad=1
				echo "rank $rank: $is of $function, not $steps"; }
		done
	done
	[ -z "$bad" ]
}

has_phase() {
	begin_job 2 || return 1
	control job.copse phase mine && sleep 0.3 && control job.copse phase -
	status=$?
	end_job && [ $status = 0 ] || return 1
	"$copse" report efficiency job.copse >text
	grep mine text && return
	cat text
	return 1
}

changes_rate() {
	begin_job 1 --freq 1000 || return 1
	control job.copse freq 20 >freq || { cat freq; return 1; }
	grep '1 of 1 ranks take 20 samples per second since' freq || return 1
	"$copse" control -o before.copse job.copse snapshot >/dev/null
	sleep 2
	end_job || return 1
	"$copse" info job.copse/rank-0.h5 | grep -w freq
	more=$(($(samples job.copse) - $(samples before.copse)))
	echo "$more samples since"
	[ "$more" -gt 0 ] && [ "$more" -lt 200 ]
}

samples() {
	"$copse" report summary "$1" -f json | sed -n \
		's/.*"samples": *\([0-9]*\).*/\1/p' | head -n 1
}

# iterations WINDOW STEPS: so many of 40 steps.
iterations() {
	ranks=4
	rm -rf window.copse
	mpirun -n 4 "$copse" run -q -o window.copse --iterations "$1" \
		"$steered" steps 40 >out || return 1
	"$copse" report window.copse >text
	grep "Measured: $3" text || { cat text; return 1; }
	for rank in 0 1 2 3; do
		is=$(calls_of window.copse $rank MPI_Sendrecv)
		[ "$is" = "$2" ] ||
			{ echo "rank $rank: $is steps, not $2"; bad=1; }
	done
	[ -z "$bad" ]
}

# A shell that computes, and never calls another program.
without_mpi() {
	rm -f over
	"$copse" run -q -o shell.copse --from-start=off \
		sh -c 'while [ ! -e over ]; do :; done' &
	job=$!
	trap 'touch over; wait $job' EXIT # of this point's shell
	wait_for "$copse" control --wait 5 shell.copse start || return 1
	sleep 1
	control shell.copse stop || return 1
	sleep 1.5
	touch over
	wait $job
	cpu=$("$copse" report summary shell.copse -f json | sed -n \
		's/.*"cpu": *\([0-9.]*\).*/\1/p' | head -n 1)
	echo "$cpu s were measured"
	awk -v cpu="$cpu" 'BEGIN { exit !(cpu > 0.2 && cpu < 2.2) }'
}

# refused STATUS WORDS COMMAND…
refused() {
	expected=$1 words=$2
	shift 2
	"$@" >said 2>&1
	[ $? = "$expected" ] && grep -q "$words" said && return
	cat said
	return 1
}

refusals() {
	begin_job 2 || return 1
	refused 1 'no run of yours that is nowhere' \
		"$copse" control nowhere start &&
		refused 2 'which run, and what' "$copse" control job.copse go &&
		refused 2 'which run, and what' "$copse" control &&
		refused 2 'samples per second' "$copse" control job.copse freq 0 &&
		refused 2 'which run, and what' \
			"$copse" control job.copse start now &&
		refused 1 'is over' "$copse" control --at 1 job.copse start &&
		refused 1 'it follows if it comes there' "$copse" control \
			--wait 0 --at 4000000000 job.copse start
	status=$?
	end_job && [ $status = 0 ] || return 1
	refused 1 'no run of yours' "$copse" control job.copse start &&
		refused 2 'iterations wants' "$copse" run --iterations 4-5 true
}

others() {
	for_others steered
	begin_job 1 || return 1
	refused 1 'no run of yours' setpriv --reuid=65534 --regid=65534 \
		--clear-groups "$copse" control "$scratch/job.copse" stop
	status=$?
	end_job && return $status
}

point "all ranks measure the same calls" same_window
point "1,000 turns change nothing that is computed" computes_the_same
point "… and each was followed at its call" each_turn_was_followed
point "a phase that begins and ends" has_phase
point "another rate" changes_rate
point "--iterations of a phase" iterations step:11-20 10 'marks 11 to 20'
point "--iterations of collective calls" iterations \
	MPI_COMM_WORLD:7..46 10 'collective calls 7 to 46'
point "a process without MPI" without_mpi
point "what cannot be done is said" refusals
point "another user's run" others
points_done
