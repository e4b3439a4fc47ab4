#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# python-train.sh [ROUNDS] - PyTorch (python-train.py) on a GPU, in turns:
#
#   kernels  their number and time by copse, against torch.profiler's in runs before
#            and after; the floor is what those two differ by
#   steps    microseconds with functions of Python in call paths, and without
#            (--python off)
#   cost     of measuring, in per cent of a step, with and without: each process
#            is compared with itself while it is paused
#
#   PART   kernels or steps (with cost); both
#   LIMIT  seconds, after which no round begins
#   STEPS  steps of each kind, 200
#   KEEP   a folder for the profiles and tables
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
train=$srcdir/tests/bench/python-train.py
steps=${STEPS:-200}
keep=${KEEP:-$scratch/kept}
mkdir -p "$keep" || exit
# What is compiled is the same in all runs.
export TORCHINDUCTOR_CACHE_DIR=$scratch/inductor
export TRITON_CACHE_DIR=$scratch/triton

profiled() {
	python3 "$train" "$steps" "$keep/profiler.$1" >"$scratch/out" 2>&1 ||
		{ cat "$scratch/out"; exit 1; }
}

# measured NAME turns|"" OPTION…
measured() {
	local run=$keep/$1.copse

	rm -rf "$run"
	# shellcheck disable=SC2086 # a word or none
	"$copse" run -q -o "$run" "${@:3}" python3 "$train" "$steps" $2 \
		>"$scratch/out" 2>&1 || { cat "$scratch/out"; exit 1; }
	"$copse" report gpu-kernels "$run" -n 0 -f csv >"$keep/$1.csv"
}

# Names as both write them: without arguments, spaces and what a compiler says.
compare_kernels() {
	python3 - "$keep" "$1" <<-'EOM'
		import csv, re, sys
		def key(name):
		    name = name.replace('(anonymous namespace)', '{}')
		    name = re.sub(r'^void ', '', name)
		    return re.sub(r'[^\w]', '', name.split('(')[0])
		def profiler(path):
		    sums = {}
		    for line in open(path):
		        count, time, name = line.rstrip('\n').split('\t', 2)
		        old = sums.get(key(name), (0, 0.0))
		        sums[key(name)] = (old[0] + int(count), old[1] + float(time))
		    return sums
		def copse(path):
		    sums = {}
		    for row in csv.DictReader(open(path)):
		        old = sums.get(key(row['kernel']), (0, 0.0))
		        sums[key(row['kernel'])] = (old[0] + int(row['count']),
		                                    old[1] + float(row['seconds']))
		    return sums
		keep, turn = sys.argv[1], int(sys.argv[2])
		before = profiler('%s/profiler.%d' % (keep, turn))
		after = profiler('%s/profiler.%d' % (keep, turn + 1))
		ours = copse('%s/kernels.%d.csv' % (keep, turn))
		whole = sum(time for _, time in before.values())
		print('total: copse %.6f s, torch.profiler %.6f and %.6f s' % (
		    sum(time for _, time in ours.values()), whole,
		    sum(time for _, time in after.values())))
		worst = floor = same = 0
		for name, (count, time) in sorted(before.items(), key=lambda x: -x[1][1]):
		    counts = ours.get(name, (0, 0))[0], count, after.get(name, (0, 0))[0]
		    same += counts[0] == counts[1]
		    if counts[0] != counts[1]:
		        print('count: copse %d, torch.profiler %d and %d: %s' % (
		            *counts, name[:60]))
		    if time < 0.01 * whole or not counts[2]:
		        continue
		    mean = (time + after[name][1]) / 2
		    differs = ours.get(name, (0, 0.0))[1] / mean - 1
		    floor = max(floor, abs(time - after[name][1]) / mean)
		    worst = max(worst, abs(differs))
		    print('%6.1f %% of all, differs %+.2f %%: %s' % (
		        100 * time / whole, 100 * differs, name[:60]))
		for name in set(ours) - set(before):
		    print('only copse: %d %.6f %s' % (*ours[name], name[:60]))
		print('%d kernels, %d of the same number; times differ by %.2f %% at '
		      'most, torch.profiler from itself by %.2f %%' % (
		          len(before), same, 100 * worst, 100 * floor))
	EOM
}

keep_steps() {
	awk -v mode="$1" -v to="$scratch" \
		'$1 == "measured" && $3 == "step" { print $6 >>(to "/" $2 "." mode) }
		 $3 == "cost" { print $6 >>(to "/cost." $2 "." mode) }' \
		"$scratch/out"
}

tell_steps() {
	local kind

	for kind in eager compiled graph; do
		paste "$scratch/$kind.off" "$scratch/$kind.on" |
			awk '{ print 100 * ($2 / $1 - 1) }' >"$scratch/$kind.more"
		echo "$kind: $(median "$scratch/$kind.off") µs, with functions of" \
			"Python $(median "$scratch/$kind.on");" \
			"$(confidence "$scratch/$kind.more") % more;" \
			"cost $(confidence "$scratch/cost.$kind.off") %, with" \
			"functions of Python" \
			"$(confidence "$scratch/cost.$kind.on") %"
	done
}

have python3 && python3 -c 'import torch' 2>/dev/null ||
	{ echo "# no PyTorch here"; exit 0; }
machine
python3 "$train" 40 >/dev/null 2>&1 # compiles
if [ "${PART:-kernels}" = kernels ]; then
	echo "kernels:"
	profiled 0
	for turn in 0 1; do
		measured "kernels.$turn" "" --gpu-nodes=on
		profiled $((turn + 1))
		compare_kernels "$turn"
	done
fi
[ "${PART:-steps}" = steps ] || exit 0
echo "steps:"
for ((round = 0; round < rounds && SECONDS < ${LIMIT:-3600}; round++)); do
	# Each of the two comes first in turn.
	modes="on off"
	[ $((round % 2)) = 0 ] || modes="off on"
	for mode in $modes; do
		measured "python-$mode" turns --python "$mode"
		keep_steps "$mode"
	done
done
tell_steps
