#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# top.sh [PAIRS] - a job under copse run is watched by copse top --stream from
# its begin to its end.  Prints how much longer it took than one beside it in
# turn that nobody watched, and what the watching took; whether the results were
# the same; and when the first screen of twice as many ranks came.
#
#   RANKS 64, STEPS 200, TURNS 200000
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
ranks=${RANKS:-64}
have mpirun && have mpicc || exit 0
compiler=mpicc compile watched || exit 0
cd "$scratch" || exit
export OMPI_MCA_mca_base_env_list="LD_PRELOAD=$builddir/tests/lib/naps.so"

# job NUMBER STEPS: under copse run, to `out`.
job() {
	rm -rf watched.copse
	timeout 300 mpirun -n "$1" "$copse" run --quiet -o watched.copse \
		./watched "$2" "${TURNS:-200000}" >out 2>err
}

watched_job() {
	local TIMEFORMAT='%U %S'

	rm -rf watched.copse # or the last one is found, which has ended
	{ time "$copse" top --wait 60 --stream watched.copse >stream 2>>err; } \
		2>cost &
	job "$ranks" "${STEPS:-200}"
	wait $!
}

first_screen() {
	local begin end

	job $((2 * ranks)) 400 &
	until "$copse" top --once --delay 0.1 -f csv --table ranks \
		watched.copse 2>/dev/null | grep -q .; do
		sleep 0.5
	done
	for _ in 1 2 3 4 5; do
		begin=$(date +%s%N)
		"$copse" top --stream watched.copse --delay 0.4 2>/dev/null |
			{ read -r _ && end=$(date +%s%N) &&
				calculate "($end - $begin) / 1e9"; }
	done >first
	wait $!
	echo "first screen of $((2 * ranks)) ranks, 0.4 of it a wait, seconds:" \
		"$(median first)"
}

machine
for _ in $(seq "$rounds"); do
	job "$ranks" "${STEPS:-200}"
	read -r plain before <out
	watched_job
	read -r seen after <out
	[ "$plain" = "$seen" ] || echo "# another result: $plain, $seen"
	calculate "100 * ($after / $before - 1)" >>longer
	echo "$after" >>took
	calculate "$(sed 's/ / + /' cost)" >>cpu
	wc -l <stream >>looks
done
echo "seconds, watched: $(median took)"
echo "longer by, percent: $(confidence longer), median $(median longer)"
echo "looks: $(median looks), CPU seconds of them all: $(median cpu)"
first_screen
