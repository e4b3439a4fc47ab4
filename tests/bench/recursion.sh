#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# recursion.sh [ROUNDS] - what samples of deep recursion cost with the budget of
# 1 %, how many are left, and how many have their root (tests/programs:
# recursion.c, and python-deep.py with $PYTHON or python3).  The floor is the same
# program 20 deep.
#
#   DEPTHS  "20 1000 10000 100000"; Python's "20 1000 5000"
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
python=${PYTHON:-python3}
unset COPSE_BUDGET

machine

# one NAME COMMAND…
one() {
	local name=$1 to=$scratch/recursion.copse samples

	shift
	"$copse" run -q --no-report --force -o "$to" "$@" >"$scratch/out" ||
		return
	samples=$(report_value samples "$to")
	report_value rate "$to" >>"$scratch/$name.rate"
	calculate "100 * $(report_value complete "$to")" >>"$scratch/$name.whole"
	calculate "100 * $(report_value self_share "$to")" >>"$scratch/$name.cost"
	calculate "1e6 * $(report_value self_cost "$to") / $samples" \
		>>"$scratch/$name.us"
}

for ((round = 0; round < rounds; round++)); do
	for depth in ${DEPTHS:-20 1000 10000 100000}; do
		one "C-$depth" "$programs/recursion" "$depth" 2
	done
	for depth in ${DEPTHS:-20 1000 5000}; do
		one "Python-$depth" "$python" -X "int_max_str_digits=0" -c "
import sys, threading
sys.setrecursionlimit(1 << 20)
threading.stack_size(256 << 20)
sys.argv = ['deep', '$depth', '20000000', '2000']
path = '$srcdir/tests/bench/python-deep.py'
code = compile(open(path).read(), path, 'exec')
run = threading.Thread(target=exec, args=(code, {'__name__': 'deep'}))
run.start()
run.join()"
	done
done
row='%-16s %-24s %-24s %-22s %s\n'
# shellcheck disable=SC2059 # the same row for all
printf "$row" program samples/s "us/sample" "cost, %" "with a root, %"
for at in $(cd "$scratch" && ls -- *.us | sort -t- -k1,1 -k2,2n); do
	at=$scratch/${at%.us}
	# shellcheck disable=SC2059
	printf "$row" "${at##*/}" "$(median "$at.rate")" "$(median "$at.us")" \
		"$(median "$at.cost")" "$(median "$at.whole")"
done
