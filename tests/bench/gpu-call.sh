#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# gpu-call.sh [ROUNDS [LAUNCHES]] - what copse adds to the launch of a kernel and
# to its record, without a GPU: with a made CUDA (tests/gpu/made-cuda.h), which
# calls back four times for a launch and hands its records over in the launching
# thread.  Each kind stands next to a library that is called back and told the
# same and does nothing.
#
# First instructions, as callgrind counts them; of callbacks those of many launches
# less those of few, so that what is done once is not in them; of a record until
# it is summed, without its place in the order of time.  Then
# nanoseconds, of runs one after the other in each round: of callbacks alone, the
# median of many; and with records, as the mean of all, of CPU time.
#
#   DEPTHS  of the launching call, 15
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
# shellcheck source=tests/bench/gpu.sh
. "$(dirname "$0")/gpu.sh"
launches=${2:-300000}
made=$builddir/tests/gpu
export COPSE_CUPTI=$made/libmade-cuda.so
[ -e "$COPSE_CUPTI" ] || { echo "# no made CUDA: built without its headers"; exit 0; }
compile gpu-call -L"$made" -Wl,-rpath,"$made" -l:libmade-cuda.so || exit 1
compile_floor calls || exit 1

# ran KIND COMMAND…: less than a second of CPU time has no tick, which valgrind
# does not know.
ran() {
	COPSE_FREQ=1 under "$@" >"$scratch/out" 2>"$scratch/err" ||
		{ cat "$scratch/err" >&2; exit 1; }
}

# counted KIND FUNCTION LAUNCHES DEPTH: in $scratch/callgrind, what this function
# of a library and all that it calls execute.
counted() {
	rm -f "$scratch/callgrind"
	ran "$1" valgrind --tool=callgrind --callgrind-out-file="$scratch/callgrind" \
		--collect-atstart=no --toggle-collect="$2" \
		"$scratch/gpu-call" "$3" "$4"
}

# instructions KIND FUNCTION LAUNCHES DEPTH
instructions() {
	counted "$@" && awk '$1 == "totals:" { print $2 }' "$scratch/callgrind"
}

# of_launch KIND FUNCTION DEPTH: of one more.
of_launch() {
	local few many

	few=$(instructions "$1" "$2" 3000 "$3") &&
		many=$(instructions "$1" "$2" 6000 "$3") &&
		calculate "($many - $few) / 3000"
}

# of_record: buffers that the thread which flushes got are not all counted, so
# they are divided by how often add_kernel_work() was called in those that are.  A
# function has its name where it is first met, and is a number from there on.
of_record() {
	counted copse complete 12000 1 && awk '
	match($0, /^c?fn=\([0-9]+\)/) {
		number = $0
		sub(/^c?fn=/, "", number)
		sub(/\).*/, ")", number)
		if (/ add_kernel_work$/)
			it = number
		callee = /^cfn=/ && number == it
	}
	/^calls=/ && callee { sub(/^calls=/, ""); records += $1; callee = 0 }
	$1 == "totals:" { all = $2 }
	END { print records ? all / records : "-" }' "$scratch/callgrind"
}

count_all() {
	local depth

	have valgrind || return
	row='%-30s %6s %8s %8s\n'
	# shellcheck disable=SC2059 # the same row for all
	printf "$row" "instructions" depth floor copse
	for depth in $depths; do
		# shellcheck disable=SC2059
		printf "$row" "callbacks of a launch" "$depth" \
			"$(of_launch calls floor_called "$depth")" \
			"$(of_launch copse calls_callback "$depth")"
	done
	# shellcheck disable=SC2059
	printf "$row" "its record" - 0 "$(of_record)"
}

# measure WHAT KIND DEPTH: the fault is that there are no records.
measure() {
	local word typical mean

	case $1 in
	callbacks) export MADE_FAULT=silent ;;
	*)	unset MADE_FAULT ;;
	esac
	ran "$2" "$scratch/gpu-call" "$launches" "$3"
	read -r word typical mean <"$scratch/out"
	[ "$word" = launch ] || { echo "no figure under $2" >&2; exit 1; }
	[ "$1" = callbacks ] || typical=$mean
	echo "$typical" >>"$scratch/$1.$2.$3"
}

# above_floor WHAT DEPTH: nanoseconds, of the pairs.
above_floor() {
	paste "$scratch/$1.copse.$2" "$scratch/$1.calls.$2" |
		awk '{ print $1 - $2 }' >"$scratch/pairs"
	confidence "$scratch/pairs"
}

time_all() {
	local depth what kind

	for ((round = 0; round < rounds; round++)); do
		for depth in $depths; do
			for what in callbacks all; do
				measure $what calls "$depth"
				measure $what copse "$depth"
			done
		done
	done
	row='%-30s %6s %-34s %-34s %s\n'
	# shellcheck disable=SC2059
	printf "$row" "ns of a launch" depth floor copse "copse above floor"
	for depth in $depths; do
		for what in callbacks all; do
			# shellcheck disable=SC2059
			printf "$row" "$what" "$depth" \
				"$(median "$scratch/$what.calls.$depth")" \
				"$(median "$scratch/$what.copse.$depth")" \
				"$(above_floor "$what" "$depth")"
		done
	done
}

depths=${DEPTHS:-15}
machine
count_all
[ "$rounds" -gt 0 ] || exit 0
time_all
