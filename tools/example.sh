#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# example.sh TUTORIAL COPSE - the two profiles of the tutorial, and its programs,
# in the folder example: who has no MPI at hand follows it with these.
#	MPIRUN	how to run two ranks
set -e
tutorial=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
copse=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
run=${MPIRUN:-mpirun -n 2}

rm -rf example
mkdir example
cd example

# The first program of the page; then what the diff on it makes of that.
awk '/^```c$/ { on = 1; next } on && /^```/ { exit } on' "$tutorial" >heat.c
mkdir fixed
cp heat.c fixed
awk '/^```diff$/ { on = 1; next } on && /^```/ { exit } on' "$tutorial" >change
awk '
	NR == FNR {
		sign = substr($0, 1, 1)
		if (sign != "+")
			old = old substr($0, 2) "\n"
		if (sign != "-")
			new = new substr($0, 2) "\n"
		next
	}
	{ all = all $0 "\n" }
	END {
		at = index(all, old)
		if (!at)
			exit 1
		printf "%s%s%s", substr(all, 1, at - 1), new,
			substr(all, at + length(old))
	}' change heat.c >fixed/heat.c || {
	echo "example.sh: the change on $tutorial is of another program" >&2
	exit 1
}
rm change

# measure NAME SOURCE: NAME.copse, whose ranks are merged.
measure() {
	mpicc -O2 -g -o heat "$2" -lm
	$run "$copse" run -q --no-report -o "$1.copse" ./heat >/dev/null
	"$copse" merge "$1.copse" >/dev/null
	rm -f heat "$1.copse"/rank-*.h5
}
measure heat heat.c
measure fixed fixed/heat.c
ls -d heat.copse fixed.copse
