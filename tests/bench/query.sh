#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# query.sh [ROUNDS] - what is asked of a database of many ranks, in milliseconds:
# each report as a process of its own, then what one context has on all ranks,
# what one rank has in all contexts, by copse export and by h5py (the context
# with the most CPU time, the rank in the middle; for h5py, by process and with
# the file already open), exports for viewers, and import copse.  Median and
# extremes of so many rounds (7), from files in memory.
#
#   floor     reading all of the file (cat), and opening it (h5py)
#
#   DATABASE  a run.h5; when not given, RANKS (1024) ranks are made after
#             MODEL, a rank file, and merged
#   WHERE     a directory with room: 0.3 MB for each rank
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
# shellcheck source=tests/bench/ranks.sh
. "$(dirname "$0")/ranks.sh"
rounds=${1:-7}
where=$(mktemp -d "${WHERE:-$scratch}/query.XXXXXX") || exit
trap 'rm -rf "$where" "$scratch"' EXIT
python=
for try in python3 /usr/bin/python3; do
	"$try" -c 'import h5py, numpy' 2>/dev/null && python=$try && break
done
[ -n "$python" ] || { echo "# no h5py"; exit 0; }

database() {
	[ -z "${DATABASE-}" ] || { echo "$DATABASE"; return; }
	if [ -z "${MODEL-}" ]; then
		"$copse" run -q -o "$where/model.copse" "$programs/shares" 2 \
			>&2 || return
		MODEL=$where/model.copse/rank-0.h5
	fi
	mkdir "$where/job"
	model=$MODEL make_ranks "${RANKS:-1024}" "$where/job" values=42000 &&
		"$copse" merge -q "$where/job" -o "$where/run.h5" &&
		echo "$where/run.h5"
}

# ask WORD…: what comes is a file of milliseconds, one a line.
ask() {
	"$python" - "$rounds" "$@" <<'P'
import subprocess, sys, time
for _ in range(int(sys.argv[1])):
    begin = time.perf_counter()
    subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL, check=True)
    print((time.perf_counter() - begin) * 1e3)
P
}

line() {
	local name=$1

	shift
	ask "$@" >"$scratch/times" || exit
	printf '%-34s %s\n' "$name" "$(median "$scratch/times")"
}

# As the recipes of copse-format(5).
by_h5py() {
	PYTHONPATH=$builddir/python "$python" - "$1" "$rounds" <<'P'
import statistics, sys, time
import h5py, numpy
rounds = int(sys.argv[2])

def say(name, times):
    print(f'{name:<34} {statistics.median(times):.3f} ({min(times):.3f} to '
          f'{max(times):.3f}, n={len(times)})')

def timed(name, question):
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        question()
        times.append((time.perf_counter() - begin) * 1e3)
    say(name, times)

def rows(first, row):
    a, b = first[row:row + 2]
    return slice(int(a), int(b))

timed('floor: h5py.File()', lambda: h5py.File(sys.argv[1], 'r').close())
f = h5py.File(sys.argv[1], 'r')
cpu = f['metrics/cpu.time']
node = int(numpy.argmax(cpu['stats/sum'][:]))
rank = len(f['ranks/rank']) // 2

def context():
    g = h5py.File(sys.argv[1], 'r')['metrics/cpu.time']
    at = rows(g['first'], node)
    return g['values/rank'][at], g['values/value'][at]

def all_of_rank():
    for m in h5py.File(sys.argv[1], 'r')['metrics'].values():
        if 'by_rank' in m:
            at = rows(m['first_by_rank'], rank)
            m['by_rank/node'][at], m['by_rank/value'][at]

timed('h5py: one context, one metric', context)
timed('h5py: one rank, all metrics', all_of_rank)

try:
    import copse
    copse.open(sys.argv[1]).functions  # imports pandas
except ImportError:
    sys.exit('# no import copse')

def columns():
    f = h5py.File(sys.argv[1], 'r')
    f['strings'][()], [f['nodes'][c][()] for c in f['nodes']]
    [m['stats/sum'][()] for m in f['metrics'].values()]

def values():
    m = h5py.File(sys.argv[1], 'r')['metrics/cpu.time']
    m['first'][()], m['values/rank'][()], m['values/value'][()]

timed('floor: h5py, what functions need', columns)
timed('import copse: functions', lambda: copse.open(sys.argv[1]).functions)
timed('floor: h5py, one metric', values)
timed('import copse: one metric', lambda: copse.open(sys.argv[1]).metric('cpu.time'))
P
}

# It makes a directory, which a program without MPI has nothing for.
export_otf2() {
	"$copse" export otf2 "$1" -o "$where/otf2" 2>/dev/null || return 0
	line 'export otf2' sh -c \
		"rm -rf '$where/otf2'; exec '$copse' export otf2 '$1' -o '$where/otf2'"
}

busiest() {
	"$python" - "$1" <<'P'
import sys, h5py, numpy
f = h5py.File(sys.argv[1], 'r')
print(int(numpy.argmax(f['metrics/cpu.time/stats/sum'][:])),
      int(f['ranks/rank'][:][len(f['ranks/rank']) // 2]))
P
}

file=$(database) || exit
machine
read -r node rank < <(busiest "$file")
echo "# $(stat -c %s "$file") bytes, node $node, rank $rank"
line 'floor: cat' cat "$file"
for analysis in summary hotspots tree imbalance ranks efficiency waits mpi-calls \
	matrix loops; do
	"$copse" report $analysis "$file" >/dev/null 2>&1 &&
		line "report $analysis" "$copse" report $analysis "$file"
done
line 'report diff, with itself' "$copse" report diff "$file" "$file"
line 'export values, one context' "$copse" export values --node "$node" \
	-m cpu.time "$file"
line 'export values, one rank' "$copse" export values --rank "$rank" "$file"
for format in speedscope pprof perfetto; do
	line "export $format" sh -c \
		"exec '$copse' export $format '$file' 2>/dev/null"
done
export_otf2 "$file"
by_h5py "$file"
