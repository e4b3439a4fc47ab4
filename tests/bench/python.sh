#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# python.sh [ROUNDS] - microseconds of CPU time that one sample takes in a
# program in Python, with its functions in call paths and without
# (--python off, the floor), by how many functions it is in:
#
#   warm  it stays in the last of them
#   cold  it calls all of them again and again
#   else  they are functions of their own, on eight paths in turn
#
# One sample of 16 that has functions to be named reads the heads of their code
# objects.  The floor is measured in the same run: one such read, and bare loads
# of as many frames and code objects, in the cache and in none.
#
# What handlers take is what copse itself reports, of the same number of samples
# in turns; least and median of the rounds.
#
#   DEPTHS  functions, "3 40 200"
#   PYTHON  /usr/bin/python3
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
python=${PYTHON:-/usr/bin/python3}
run=$scratch/python.copse

# one MODE NAME ARGUMENT…
one() {
	local mode=$1 name=$2

	shift 2
	rm -rf "$run"
	"$copse" run --quiet -e cpu@10000 --budget 0 --python "$mode" \
		-o "$run" "$python" "$srcdir/tests/bench/python-deep.py" \
		"$@" >/dev/null
	"$copse" report measurement "$run" -f csv |
		awk -v columns='samples handler' \
			-f "$srcdir/tests/lib/csv.awk" |
		awk '{ n += $1; s += $2 } END { print 1e6 * s / n }' \
			>>"$scratch/$name.$mode"
}

# tell NAME WORDS
tell() {
	echo "$2: $(median "$scratch/$1.on") µs, without" \
		"$(median "$scratch/$1.off"); least" \
		"$(sort -g "$scratch/$1.on" | head -n 1)," \
		"$(sort -g "$scratch/$1.off" | head -n 1)"
}

machine
compile read-floor && read -r one_read no_read < <("$scratch/read-floor") &&
	echo "one read: $one_read ns, a system call that does nothing: $no_read"
for depth in ${DEPTHS:-3 40 200}; do
	"$scratch/read-floor" "$depth" | tail -n 1 >"$scratch/loads"
	read -r warm cold codes cold_codes <"$scratch/loads"
	echo "$depth frames by bare loads: $warm ns, in no cache $cold;" \
		"their code $codes, $cold_codes"
done
for ((round = 0; round < rounds; round++)); do
	for depth in ${DEPTHS:-3 40 200}; do
		for mode in off on; do
			one "$mode" "warm.$depth" "$depth" 20000000
			one "$mode" "cold.$depth" "$depth" 8000000 40000
			one "$mode" "else.$depth" "$depth" 8000000 40000 8
		done
	done
done
for depth in ${DEPTHS:-3 40 200}; do
	tell "warm.$depth" "$depth functions, warm"
	tell "cold.$depth" "$depth functions, cold"
	tell "else.$depth" "$depth functions of their own"
done
