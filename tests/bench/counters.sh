#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# counters.sh [ROUNDS] - what counting events costs: the CPU time that one
# sample and one MPI call take more with so many events counted beside the
# clock, and what one tick of a sampled event takes.  Each round does the same
# work without and with them, one after the other, and is compared with itself;
# printed are medians with their extremes.
#
#   EVENTS   events in the order they are added
#   SAMPLED  the event that is sampled, and its period
#   WORK     rounds of deep.c, 150000: about 2 s
#   CALLS    of each loop of mpi-call.c, 60000
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
read -r -a events <<<"${EVENTS:-perf::CONTEXT-SWITCHES perf::PAGE-FAULTS perf::CPU-MIGRATIONS perf::MINOR-FAULTS}"
sampled=${SAMPLED:-perf::PAGE-FAULTS@20}
work=${WORK:-150000}
calls=${CALLS:-60000}
compiler=${MPICC:-mpicc}

machine
compile deep || exit 1
compile mpi-call || exit 1
compile faults || exit 1
have mpirun || exit 0

# first N: -e options of the first N events.
first() {
	local i

	for ((i = 0; i < $1; i++)); do
		printf -- '-e\n%s\n' "${events[i]}"
	done
}

# measured OPTION… -- COMMAND…: its output, and the samples in $samples.
measured() {
	local options=()

	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	rm -rf "$scratch/run.copse"
	"$copse" run --quiet --budget 0 -o "$scratch/run.copse" \
		"${options[@]}" "${@:2}" || exit
	samples=$(report_value samples "$scratch/run.copse")
}

# Above no event, in microseconds per sample and nanoseconds per call.
one_round() {
	local n cpu without base options

	measured -e cpu@10000 -- "$scratch/deep" "$work" 20 1 >"$scratch/cpu"
	without=$(cat "$scratch/cpu")
	base=$(measured -e cpu@1000 -- "$scratch/mpi-call" "$calls" |
		awk '/^MPI_Comm_rank 20 / { print $3 }')
	for ((n = 1; n <= ${#events[@]}; n++)); do
		mapfile -t options < <(first "$n")
		measured -e cpu@10000 "${options[@]}" -- \
			"$scratch/deep" "$work" 20 1 >"$scratch/cpu"
		cpu=$(cat "$scratch/cpu")
		calculate "($cpu - $without) * 1e6 / $samples" \
			>>"$scratch/sample.$n"
		cpu=$(measured -e cpu@1000 "${options[@]}" -- \
			"$scratch/mpi-call" "$calls" |
			awk '/^MPI_Comm_rank 20 / { print $3 }')
		calculate "$cpu - $base" >>"$scratch/call.$n"
	done
}

# The pages of faults.c are touched once each: ticks are pages by the period.
one_tick() {
	local pages=400000 plain counted ticked

	plain=$("$scratch/faults" $pages)
	measured -e cpu@100 -e "${sampled%@*}" -- "$scratch/faults" $pages \
		>"$scratch/cpu"
	counted=$(cat "$scratch/cpu")
	measured -e cpu@100 -e "$sampled" -- "$scratch/faults" $pages \
		>"$scratch/cpu"
	ticked=$(cat "$scratch/cpu")
	calculate "($counted - $plain) * 1e6 / ($pages / ${sampled#*@})" \
		>>"$scratch/counted"
	calculate "($ticked - $plain) * 1e6 / ($pages / ${sampled#*@})" \
		>>"$scratch/tick"
}

for ((round = 0; round < rounds; round++)); do
	one_round
	one_tick
done
printf '%-8s %-40s %s\n' events "us more per sample" "ns more per MPI call"
for ((n = 1; n <= ${#events[@]}; n++)); do
	printf '%-8s %-40s %s\n' "$n" "$(median "$scratch/sample.$n")" \
		"$(median "$scratch/call.$n")"
done
echo "us per tick of $sampled: $(median "$scratch/tick")"
echo "the same work with the event counted only: $(median "$scratch/counted")"
